// The starts of inference servers as the JSON contract words them.

#ifndef SHAPEWISE_REPORT_SERVER_JSON_H_
#define SHAPEWISE_REPORT_SERVER_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/result/server_report.h"

namespace shapewise {

/// One worker of one start. `capture_sizes` is a count, or where graphs of several modes are
/// counted, a count for each.
nlohmann::ordered_json ServerWorkerJson(const ServerWorker& worker);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_SERVER_JSON_H_
