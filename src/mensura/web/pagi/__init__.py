"""PAGI World in a browser: free play with clients that connect, and the drawing that its pages share."""
