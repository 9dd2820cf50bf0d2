// One run that was both logged and traced.

#ifndef SHAPEWISE_INGEST_RETOLD_EVENTS_H_
#define SHAPEWISE_INGEST_RETOLD_EVENTS_H_

#include "shapewise/model/session.h"

namespace shapewise {

/// Drops the events of logs that a trace in the same session tells, too, so that each counts once;
/// the trace knows what they cost.
///
/// The two are the same if rank, kind, id and what happened agree, and the times, where both are
/// printed, lie within a minute: a trace writes some records only at the end of a compilation. What
/// a log only implies by an id or a name is dropped if a trace tells it, and so are guards that it
/// prints. Call when the events are sorted. Linear in events, up to a logarithm.
void DropRetoldEvents(Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_RETOLD_EVENTS_H_
