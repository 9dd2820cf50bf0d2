#include "advise/policy_words.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call_history_builder.h"
#include "model/compile_policy.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Modules whose settings policies address by the last part of the name.
constexpr std::string_view kModules[] = {"torch._dynamo.config.", "torch.fx.experimental._config.",
                                         "torch.compiler.config."};
constexpr std::string_view kInductor = "torch._inductor.config.";
constexpr std::string_view kPrecision = "torch.set_float32_matmul_precision(";

void AddPart(std::string& words, const std::string& part) {
  if (!words.empty()) words += " + ";
  words += part;
}

std::string MarkWords(std::string_view mark, const CodeChange& change) {
  return std::string(mark) + "(" + NameOfSource(change.source) + ", " + std::to_string(change.dim) +
         ")";
}

std::string SourceWords(std::string_view option, const CodeChange& change) {
  return std::string(option) + "=" + change.source +
         (change.dim >= 0 ? ":" + std::to_string(change.dim) : "");
}

std::string BucketWords(const CodeChange& change) {
  std::string sizes;
  for (const int64_t size : change.sizes) {
    sizes += (sizes.empty() ? "" : "|") + std::to_string(size);
  }
  return "buckets(" + NameOfSource(change.source) + ", " + std::to_string(change.dim) + ", " +
         sizes + ") + " + MarkWords("mark_static", change);
}

std::string DynamicWords(DynamicOption option) {
  switch (option) {
    case DynamicOption::kTrue:
      return "dynamic=True";
    case DynamicOption::kFalse:
      return "dynamic=False";
    case DynamicOption::kNone:
      break;
  }
  return "dynamic=None";
}

/// Empty: no policy can express it.
std::string WordsOf(const CodeChange& change) {
  switch (change.kind) {
    case CodeChange::Kind::kMaybeMark:
      return MarkWords("maybe_mark_dynamic", change);
    case CodeChange::Kind::kMarkUnbacked:
      return MarkWords("mark_unbacked", change);
    case CodeChange::Kind::kDynamicSource:
      return SourceWords("dynamic_sources", change);
    case CodeChange::Kind::kUnbackedSource:
      return SourceWords("unbacked_sources", change);
    case CodeChange::Kind::kDynamicOption:
      return DynamicWords(change.dynamic);
    case CodeChange::Kind::kNoDuckShape:
      return "use_duck_shape=False";
    case CodeChange::Kind::kModuleInts:
      return "allow_unspec_int_on_nn_module=True";
    case CodeChange::Kind::kFreeParameters:
      return "force_parameter_static_shapes=False + force_nn_module_property_static_shapes=False";
    case CodeChange::Kind::kBuckets:
      return BucketWords(change);
  }
  return {};
}

/// The name and value that the statement `line` sets, in policy terms; empty if policies do not
/// support it.
std::pair<std::string, std::string> SettingOf(std::string_view line) {
  if (ConsumeFront(line, kPrecision)) {
    const bool is_text = line.size() > 3 && line.front() == '"' && line.ends_with("\")");
    if (!is_text) return {};
    return {"float32_matmul_precision", std::string(line.substr(1, line.size() - 3))};
  }
  const bool is_inductor = ConsumeFront(line, kInductor);
  const bool is_other = !is_inductor && std::ranges::any_of(kModules, [&](std::string_view module) {
    return ConsumeFront(line, module);
  });
  const size_t equals = line.find(" = ");
  if ((!is_inductor && !is_other) || equals == std::string_view::npos) return {};
  std::string name(line.substr(0, equals));
  if (is_inductor) name.insert(0, kInductorPrefix);
  return {std::move(name), std::string(line.substr(equals + 3))};
}

/// The policy parts for statements such as "torch._dynamo.config.recompile_limit = 32", one per
/// line; empty if any line is something else.
std::string WordsOfSettings(std::string_view code) {
  std::string words;
  while (!code.empty()) {
    const std::string_view line = code.substr(0, code.find('\n'));
    code.remove_prefix(std::min(code.size(), line.size() + 1));
    const auto [name, value] = SettingOf(line);
    CompilePolicy probe;
    if (!SetPolicyOption(probe, name, value)) return {};
    AddPart(words, std::string(name) + "=" + value);
  }
  return words;
}

}  // namespace

std::string PolicyWords(const Candidate& candidate) {
  if (candidate.ranked.at == PasteAt::kConfig) {
    return WordsOfSettings(candidate.ranked.action.code);
  }
  std::string words;
  for (const CodeChange& change : candidate.changes) {
    const std::string part = WordsOf(change);
    if (part.empty()) return {};
    AddPart(words, part);
  }
  return words;
}

}  // namespace shapewise
