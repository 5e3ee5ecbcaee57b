"""The research view: an environment built by hand or drawn, seen whole, played step by step (section 4.5.1 of
Insa-Cabrera, 2011)."""

from mensura.web.research.routes import close_research as close
from mensura.web.research.routes import open_research as open
from mensura.web.research.routes import router

__all__ = ["close", "open", "router"]
