// An event in the JSON contract's form.

#ifndef SHAPEWISE_REPORT_EVENT_JSON_H_
#define SHAPEWISE_REPORT_EVENT_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/model/session.h"

namespace shapewise {

/// `event` with the fields of its kind. Common fields (place, rank, frame ...) are omitted if
/// unknown; fields of its own kind are null then.
nlohmann::ordered_json EventJson(const Event& event, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_EVENT_JSON_H_
