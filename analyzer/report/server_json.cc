#include "report/server_json.h"

#include "report/json_values.h"

namespace shapewise {

using Json = nlohmann::ordered_json;

Json ServerWorkerJson(const ServerWorker& worker) {
  Json sizes = NumberOrNull(worker.capture_sizes);
  if (!worker.captured_graphs.empty()) sizes = worker.captured_graphs;
  return {{"start", worker.start},
          {"engine", worker.engine},
          {"worker", TextOrNull(worker.worker)},
          {"dynamo_seconds", NumberOrNull(worker.dynamo_seconds)},
          {"inductor_seconds",
           worker.inductor_seconds.empty() ? Json() : Json(worker.inductor_seconds)},
          {"total_seconds", NumberOrNull(worker.total_seconds)},
          {"graph_capture_seconds", NumberOrNull(worker.graph_capture_seconds)},
          {"engine_init_seconds", NumberOrNull(worker.engine_init_seconds)},
          {"unaccounted_seconds", NumberOrNull(worker.unaccounted_seconds)},
          {"cache", TextOrNull(worker.cache)},
          {"cache_dir", TextOrNull(worker.cache_dir)},
          {"capture_sizes", std::move(sizes)},
          {"mode", TextOrNull(worker.mode)},
          {"phases", worker.phases}};
}

}  // namespace shapewise
