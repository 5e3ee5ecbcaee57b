"""The protocol of PAGI World: commands of both generations, expressions, reflexes and states of one seat, and answers.

``comma`` and ``messages`` read the two generations into the same commands (``commands``), ``sensors`` knows the codes
of sensors and effectors, ``values`` the expressions of them, ``reflexes`` what fires, and ``controls`` joins it all as
:class:`~mensura.worlds.pagi.contract.Controls`.
"""
