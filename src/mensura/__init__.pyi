"""The names of the package for type checkers and editors; the module itself imports each when it is first used."""

from mensura.agent.errors import MensuraError as MensuraError
from mensura.api import analogy as analogy
from mensura.api.assessing import assess as assess
from mensura.api.assessing import estimate as estimate
from mensura.api.choosing import Choice as Choice
from mensura.api.choosing import choose as choose
from mensura.api.comparing import Comparisons as Comparisons
from mensura.api.comparing import compare as compare
from mensura.api.learning import Learning as Learning
from mensura.api.learning import learn_rate as learn_rate
from mensura.api.making import assessments as assessments
from mensura.api.making import make as make
from mensura.api.making import subjects as subjects
from mensura.api.making import worlds as worlds
from mensura.api.profiling import Profile as Profile
from mensura.api.profiling import profile as profile
from mensura.api.results import Result as Result
from mensura.api.results import Score as Score
from mensura.api.results import load as load
from mensura.api.robustness import Robustness as Robustness
from mensura.api.robustness import robustness as robustness
from mensura.api.spending import Outlays as Outlays
from mensura.api.study import Study as Study
from mensura.api.transferring import Transfer as Transfer
from mensura.api.transferring import transfer as transfer
from mensura.api.understanding import Understood as Understood
from mensura.api.understanding import understand as understand
from mensura.api.watching import Film as Film
from mensura.api.watching import watch as watch

__version__: str
