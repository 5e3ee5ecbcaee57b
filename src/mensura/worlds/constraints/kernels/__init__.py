"""Algorithms compiled: whole episodes in synchronous cycles, equal to the bit to agents who act one by one."""
