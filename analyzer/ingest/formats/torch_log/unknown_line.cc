#include "ingest/formats/torch_log/unknown_line.h"

#include <algorithm>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Quoted in prose or spelled out in code, not printed by torch.compile.
bool IsQuotedAt(std::string_view text, size_t at) {
  return at > 0 &&
         (IsWordChar(text[at - 1]) || std::string_view("\"'`(.").find(text[at - 1]) != kNotFound);
}

/// "hit config.recompile_limit", whatever the limit is called.
bool NamesLimit(std::string_view text) {
  constexpr std::string_view kHit = "hit config.";
  constexpr std::string_view kDynamo = "torch._dynamo ";
  const size_t at = FindText(text, kHit);
  if (at == kNotFound || IsQuotedAt(text, at)) return false;
  const bool has_module = text.substr(0, at).ends_with(kDynamo);
  if (has_module && IsQuotedAt(text, at - kDynamo.size())) return false;
  const std::string_view name = text.substr(at + kHit.size());
  const auto end = std::ranges::find_if_not(name, IsWordChar);
  return HasText(name.substr(0, static_cast<size_t>(end - name.begin())), "limit");
}

/// "[__graph_breaks]" in a line whose prefix has an unknown form.
bool HasTag(std::string_view text) {
  for (const std::string_view tag :
       {"[__graph_breaks]", "[__recompiles]", "[__recompiles_verbose]"}) {
    const size_t at = FindText(text, tag);
    if (at != kNotFound && !IsQuotedAt(text, at)) return true;
  }
  return false;
}

/// "torch._dynamo.exc.Unsupported", at the front: elsewhere it is a mention or code.
bool BeginsWithException(std::string_view text) {
  text = TrimLeft(text);
  return ConsumeFront(text, "torch._dynamo.exc.") && !text.empty() && text[0] >= 'A' &&
         text[0] <= 'Z';
}

}  // namespace

bool PrintsOnlyRecords(std::string_view artifact) {
  return IsOneOf(artifact, {"graph_breaks", "recompiles", "recompiles_verbose"});
}

bool EndsLimitWarning(std::string_view text) {
  text = TrimLeft(text);
  return text.starts_with("To log all recompilation reasons") ||
         text.starts_with("To diagnose recompilation issues") ||
         text.starts_with("to diagnose recompilation issues");
}

bool IsUnknownMessage(const LogPrefix& prefix, std::string_view text) {
  if (PrintsOnlyRecords(prefix.artifact)) return !Trim(text).empty();
  // Other artifacts print code and guards, which may quote anything.
  if (!prefix.artifact.empty()) return false;
  return NamesLimit(text) || HasTag(text) || BeginsWithException(text);
}

}  // namespace shapewise
