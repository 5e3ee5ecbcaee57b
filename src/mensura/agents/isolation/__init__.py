"""The cage that foreign code runs in: what it may use, and how a process is held to that.

:mod:`~mensura.agents.isolation.cage` says what a subject may use, and :mod:`~mensura.agents.isolation.code` what of its
folder is code; :mod:`~mensura.agents.isolation.launcher` is the small trusted program that confines itself and becomes
the subject, :mod:`~mensura.agents.isolation.tree` has the files that it sees, and
:mod:`~mensura.agents.isolation.usage` what it uses; :mod:`~mensura.agents.isolation.linux` has the kernel's means, and
:mod:`~mensura.agents.isolation.cgroup` its control groups; :mod:`~mensura.agents.isolation.examination` plays the cheat
and says what holds on this machine. ``docs/isolation.md`` is the threat model.
"""
