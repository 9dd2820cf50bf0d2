#include "pipeline/load_body.h"

#include <algorithm>
#include <utility>

#include "dynamo/run_function.h"
#include "ingest/graph_reader.h"
#include "ingest/reader.h"
#include "model/graph_model.h"
#include "redact/redactor.h"

namespace shapewise {

namespace {

/// A dump shows sizes and shared symbols, but not what tracing asked of them.
BodyFacts BodyOfDump() {
  BodyFacts body;
  body.frames.emplace_back().unknown_because =
      "a dump of a graph does not show which sizes were compared; the trace of one run does "
      "(TORCH_TRACE)";
  return body;
}

}  // namespace

Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files,
                             const std::string& function, Redactor* redactor) {
  Session session;
  ReadOptions options;
  options.guard_texts = true;
  options.redactor = redactor;
  const std::vector<std::string> unread = ReadInputs(paths, files, session, options);
  if (!unread.empty()) return MakeError(unread.front());
  const bool is_recognised = std::ranges::any_of(
      session.inputs(), [](const Input& input) { return !input.format.empty(); });
  if (!is_recognised) {
    GraphSet graphs;
    if (ReadGraphs(paths, files, graphs).empty() && !graphs.graphs.empty()) return BodyOfDump();
    const std::string& path = paths.front();
    return MakeError((redactor != nullptr ? redactor->Rewrite(TextKind::kPath, path) : path) +
                     ": nothing of torch.compile recognised; --body takes a trace "
                     "(TORCH_TRACE) of one run of the function");
  }
  // Dynamo calls "Mixer.forward" "forward".
  const Place where{.function = function.substr(function.rfind('.') + 1), .file = {}, .line = 0};
  BodyFacts body = BodyOfRun(session, /*frame=*/{}, where);
  return body.frames.empty() ? BodyOfRun(session, /*frame=*/{}, /*where=*/{}) : std::move(body);
}

}  // namespace shapewise
