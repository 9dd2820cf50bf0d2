#include "pipeline/repeated_inputs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "llvm/ADT/Hashing.h"

namespace shapewise {
namespace {

constexpr size_t kMaxSentences = 5;

/// Properties that two readings of one log share, including ids, because texts and details are
/// interned.
struct Content {
  uint64_t events = 0;  ///< hash of all events
  bool has_times = false;
};

std::vector<Content> ContentOfInputs(const Session& session) {
  std::vector<Content> contents(session.inputs().size());
  for (const Event& event : session.events()) {
    Content& content = contents[event.input];
    content.events =
        llvm::hash_combine(content.events, event.line, event.detail, event.compile_id, event.rank,
                           event.time.month, event.time.day, event.time.micros);
    content.has_times |= event.time.known();
  }
  return contents;
}

/// "run.log" for "run.log.gz": a log and its compressed copy are equal.
std::string_view WithoutCompression(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

std::string Times(size_t count) { return count == 2 ? "twice" : std::to_string(count) + " times"; }

std::string DescribeGroup(const Session& session, const std::vector<uint32_t>& group) {
  const std::string& name = session.inputs()[group.front()].name;
  std::string sentence = name + " was read " + Times(group.size());
  for (const uint32_t index : group) {
    const std::string& other = session.inputs()[index].name;
    if (other == name) continue;
    sentence += ", also as " + other;
    break;
  }
  return sentence + ": what it holds counts " + Times(group.size()) + ".";
}

}  // namespace

std::vector<std::string> DescribeRepeatedInputs(const Session& session) {
  const std::vector<Content> contents = ContentOfInputs(session);
  // Logs without times may be equal on different ranks; then the name must be the same, too.
  using Key = std::tuple<std::string, uint64_t, uint64_t, uint64_t>;
  std::map<Key, std::vector<uint32_t>> groups;
  for (uint32_t index = 0; index < session.inputs().size(); ++index) {
    const Input& input = session.inputs()[index];
    if (input.bytes == 0) continue;
    const Content& content = contents[index];
    const std::string name(content.has_times ? "" : WithoutCompression(input.name));
    groups[{name, input.bytes, input.lines, content.events}].push_back(index);
  }
  std::vector<std::vector<uint32_t>> repeated;
  for (auto& [key, group] : groups) {
    if (group.size() > 1) repeated.push_back(std::move(group));
  }
  std::sort(repeated.begin(), repeated.end());
  std::vector<std::string> sentences;
  for (const std::vector<uint32_t>& group : repeated) {
    if (sentences.size() == kMaxSentences) {
      sentences.push_back(std::to_string(repeated.size() - kMaxSentences) +
                          " more inputs were read more than once.");
      break;
    }
    sentences.push_back(DescribeGroup(session, group));
  }
  return sentences;
}

}  // namespace shapewise
