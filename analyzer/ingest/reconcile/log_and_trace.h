// One run that was both logged and traced.

#ifndef SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_
#define SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_

#include "shapewise/model/session.h"

namespace shapewise {

/// Drops the events of logs that a trace in the same session has, too, so that each counts once;
/// the trace states what they cost.
///
/// The two are the same if rank, kind, id and what happened agree, and the times, where both are
/// printed, are within a minute, whatever the day: a trace writes some records only at the end of a
/// compilation. Events that a log only implies by an id or a name are dropped if a trace records
/// them, and so are guards that it prints. The other way round, the error of a trace is dropped
/// where the log says that its frame was skipped for it: a trace does not say what became of the
/// frame. Call when the events are sorted. Takes n log n steps for n events.
void ReconcileLogsAndTraces(Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_
