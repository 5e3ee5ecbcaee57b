"""The contract between worlds and subjects, the one episode loop, keys and compilation."""
