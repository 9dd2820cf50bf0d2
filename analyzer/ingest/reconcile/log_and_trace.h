// Reconciles a log and a trace of the same run.

#ifndef SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_
#define SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_

#include "model/session.h"

namespace shapewise {

/// Drops the events of logs that a trace in the same session also contains, so that each counts
/// once; the trace contains their cost.
///
/// Two events are the same if rank, kind, id and contents agree, and their times, if both are
/// printed, are within a minute, regardless of the day: a trace writes some records only at the end
/// of a compilation. Events that a log only implies by an id or a name are dropped if a trace
/// records them, and so are guards that it prints. Conversely, the error of a trace is dropped if
/// the log says that its frame was skipped because of it: a trace does not say what happened to the
/// frame. Call when the events are sorted. Takes n log n steps for n events.
void ReconcileLogsAndTraces(Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_RECONCILE_LOG_AND_TRACE_H_
