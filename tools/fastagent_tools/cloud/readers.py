"""The readers of cloud records, each for one form; a record may have several."""

from fastagent_tools.cloud.document import Read
from fastagent_tools.cloud.events import judge_events
from fastagent_tools.cloud.load import judge_load
from fastagent_tools.cloud.logs import judge_logs
from fastagent_tools.cloud.metrics import judge_metrics
from fastagent_tools.cloud.monitors import judge_monitors
from fastagent_tools.cloud.objects import judge_objects
from fastagent_tools.cloud.status import judge_status

READERS: tuple[Read, ...] = (
    judge_objects,
    judge_events,
    judge_metrics,
    judge_load,
    judge_logs,
    judge_monitors,
    judge_status,
)
