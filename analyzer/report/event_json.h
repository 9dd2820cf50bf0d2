// One event as the JSON contract words it.

#ifndef SHAPEWISE_REPORT_EVENT_JSON_H_
#define SHAPEWISE_REPORT_EVENT_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/model/session.h"

namespace shapewise {

/// `event` with the fields its kind has. The fields of every kind (place, rank, frame ...) are left
/// out where the log does not tell them; those of its own kind are null then.
nlohmann::ordered_json EventJson(const Event& event, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_EVENT_JSON_H_
