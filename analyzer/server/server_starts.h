// The starts of inference servers in a log, and the problems in them.

#ifndef SHAPEWISE_SERVER_SERVER_STARTS_H_
#define SHAPEWISE_SERVER_SERVER_STARTS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "causes/cause.h"
#include "model/session.h"
#include "result/server_report.h"

namespace shapewise {

/// A separately compiled part of a model.
struct CompiledModel {
  std::optional<double> dynamo;  ///< of several models without a name: the sum, like `total`
  std::map<std::string, double> by_sizes;  ///< seconds of compiling: "1-2730", "8", "dynamic"
  double range_seconds = 0;                ///< ranges overlap in time: the longest
  double shape_seconds = 0;  ///< single shapes are compiled one after the other: the sum
  bool is_compiled = false;
  uint64_t hits = 0;
  uint64_t misses = 0;
  std::optional<double> load_seconds;
  std::optional<double> total;

  bool IsMiss() const { return misses > 0 || (is_compiled && hits == 0); }
};

/// A worker while its lines are being read.
struct WorkerLines {
  std::string name;
  ServerWorker worker;
  std::map<std::string, CompiledModel, std::less<>> models;
  std::string model;  ///< of lines that name none: the one whose cache was named last
  std::map<ServerLineKind, ServerLine> last;  ///< the last line of each kind with seconds
  uint32_t num_captures = 0;
  double capture_seconds = 0;  ///< of all of them
  std::optional<double> sum;   ///< of all models so far, as the process itself adds up
  bool has_kv_memory = false;
  bool captured_behind_kv = false;
  bool bars_are_over = false;  ///< a capture ended: further bars belong to another one
  LogTime load_begin;
  LogTime autotune_begin;
};

/// The first line of a kind that indicates a problem, and their number.
struct ServerRemark {
  const ServerLine* line = nullptr;
  uint64_t count = 0;
};

/// One start of a server.
struct ServerStart {
  ServerEngine engine = ServerEngine::kVllm;
  uint32_t input = 0;
  uint64_t first_line = 0;
  uint64_t ready_line = 0;          ///< 0: not ready before the log ended
  std::string release;              ///< "0.10.2"; empty: unknown
  std::deque<WorkerLines> workers;  // references stay valid
  std::map<StrId, size_t> index;
  std::set<StrId> processes;                               ///< processes that printed their start
  std::map<std::string, double, std::less<>> engine_init;  ///< seconds by DataParallelPart
  /// Seconds of the slowest worker, by the names that SGLang prints: "load_weight",
  /// "cuda_graph.decode" ...
  std::map<std::string, double, std::less<>> timings;
  std::optional<int64_t> capture_sizes;
  std::optional<int64_t> largest_size;             ///< largest captured size
  std::optional<int64_t> draft_tokens;             ///< draft tokens per request and step
  const ServerLine* most_running = nullptr;        ///< the maximum number of concurrent requests
  std::string cache_factors;                       ///< as printed; empty: unknown
  std::map<std::string, std::string> environment;  ///< environment variables in the cache key
  std::map<ServerLineKind, ServerRemark> remarks;
  bool compiles_in_capture = false;  ///< SGLang with --enable-torch-compile
  std::string mode;
  bool is_cache_off = false;
  bool is_over = false;  ///< the server or its engine was ready
};

/// One cause for each word of ServerWhyNames() that applies to a start; if it applies to several
/// starts, the first one with the total count. `report` must be for the same starts.
std::vector<Cause> FindServerCauses(const Session& session, const std::deque<ServerStart>& starts,
                                    const ServerReport& report);

/// Results from the lines of inference servers.
struct ServerAccount {
  ServerReport report;
  /// Of kind kServer: `why` is one of ServerWhyNames(), `type` the engine, `where` the line.
  std::vector<Cause> causes;
};

/// Reads the server starts in the sorted `session` (meaning of the figures:
/// analyzer/docs/server-logs.md). Linear in its server lines, up to a logarithm.
ServerAccount ReadServerLogs(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_SERVER_SERVER_STARTS_H_
