"""The fitness landscape: standing high where there are many local optima and one global one."""
