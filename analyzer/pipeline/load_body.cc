#include "shapewise/pipeline/load_body.h"

#include <algorithm>
#include <utility>

#include "shapewise/dynamo/run_function.h"
#include "shapewise/ingest/reader.h"

namespace shapewise {

Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files) {
  Session session;
  ReadOptions options;
  options.guard_texts = true;
  const std::vector<std::string> unread = ReadInputs(paths, files, session, options);
  if (!unread.empty()) return MakeError(unread.front());
  const bool is_recognised = std::ranges::any_of(
      session.inputs(), [](const Input& input) { return !input.format.empty(); });
  if (!is_recognised) {
    return MakeError(paths.front() +
                     ": nothing of torch.compile recognised; --body takes a trace "
                     "(TORCH_TRACE) of one run of the function");
  }
  return BodyOfRun(session, /*rank=*/-1, /*frame=*/{});
}

}  // namespace shapewise
