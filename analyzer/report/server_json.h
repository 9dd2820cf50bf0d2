// Starts of inference servers in the JSON contract's form.

#ifndef SHAPEWISE_REPORT_SERVER_JSON_H_
#define SHAPEWISE_REPORT_SERVER_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/result/server_report.h"

namespace shapewise {

/// One worker of one start. `capture_sizes` is a count, or one count per mode if graphs of several
/// modes are counted.
nlohmann::ordered_json ServerWorkerJson(const ServerWorker& worker);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_SERVER_JSON_H_
