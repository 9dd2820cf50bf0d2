// Recognises the exceptions of torch's compiler.

#include "ingest/messages/exception_head.h"

#include <iterator>

#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Modules whose exceptions are the compiler's own. torch/_dynamo/exc.py, torch/_inductor/exc.py,
// torch/fx/experimental/symbolic_shapes.py, torch/jit/frontend.py.
constexpr std::string_view kModules[] = {
    "torch._dynamo.exc.",
    "torch._inductor.exc.",
    "torch.fx.experimental.symbolic_shapes.",
    "torch.jit.frontend.",
    "torch._subclasses.fake_tensor.",
    "torch._export.verifier.",
    "torch._inductor.",
    "torch._dynamo.",
    "torch.jit.",
};
// The first so many of them hold nothing but exceptions and plain functions: any capitalised name
// with a message is one.
constexpr size_t kNumExceptionModules = 6;

// Classes that notebooks print without their module; each name is torch's alone.
constexpr std::string_view kBareNames[] = {
    "Unsupported",
    "BackendCompilerFailed",
    "InternalTorchDynamoError",
    "TorchRuntimeError",
    "ConstraintViolationError",
    "GuardOnDataDependentSymNode",
    "LoweringException",
    "InductorError",
    "FailOnRecompileLimitHit",
    "RecompileError",
    "UncapturedHigherOrderOpError",
    "RecompileLimitExceeded",
    "CacheLimitExceeded",
};

/// Class names end in one of these; a logger's name does not.
bool LooksLikeExceptionClass(std::string_view name) {
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return false;
  for (const std::string_view end : {"Error", "Exception", "Failed", "Hit", "Unsupported",
                                     "SymNode", "Exceeded", "Violation", "Frame", "Restart"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

/// "Name: message" or "Name" at the end of the line.
bool TakeClassAndMessage(std::string_view text, std::string_view& name, std::string_view& message) {
  size_t end = 0;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  name = text.substr(0, end);
  std::string_view rest = text.substr(end);
  if (Trim(rest).empty()) {
    message = {};
    return true;
  }
  if (!ConsumeFront(rest, ":") || (!rest.empty() && rest[0] != ' ')) return false;
  message = Trim(rest);
  return true;
}

/// Quoted or spelled out in code, not raised.
bool IsMentioned(std::string_view text, size_t at) {
  return at > 0 && (IsWordChar(text[at - 1]) ||
                    std::string_view("\"'`(.<[{").find(text[at - 1]) != kNotFound);
}

/// "torch._inductor.virtualized.SomeError: message" at `at`, where kModules[index] stands. False:
/// it is no exception that was raised.
bool ReadQualified(std::string_view text, size_t at, size_t index, ExceptionHead& head) {
  const std::string_view module = kModules[index];
  std::string_view rest = text.substr(at + module.size());
  // More modules may follow.
  for (size_t dot = rest.find('.'); dot != kNotFound; dot = rest.find('.')) {
    if (rest.substr(0, dot).find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") !=
        kNotFound) {
      break;
    }
    rest.remove_prefix(dot + 1);
  }
  std::string_view name;
  std::string_view message;
  if (!TakeClassAndMessage(rest, name, message)) return false;
  const bool is_capitalised = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  if (!is_capitalised || (index >= kNumExceptionModules && !LooksLikeExceptionClass(name))) {
    return false;
  }
  // Without a message, behind other words, it is a mention; but crash reports have a field for it.
  const std::string_view before = TrimRight(text.substr(0, at));
  const bool ends_with_name = message.empty() && !rest.substr(name.size()).starts_with(":");
  if (ends_with_name && at != Indent(text) && !before.ends_with("Type:") &&
      !before.ends_with("Type:**")) {
    return false;
  }
  head.kind = module.starts_with("torch.jit") ? RecordKind::kTorchscript : RecordKind::kException;
  head.offset = at;
  head.name = name;
  head.message = message;
  return true;
}

}  // namespace

bool ParseAnyException(std::string_view text, std::string_view& name, std::string_view& message) {
  text = TrimLeft(text);
  size_t end = 0;
  while (end < text.size() && (IsWordChar(text[end]) || text[end] == '.')) ++end;
  const std::string_view dotted = text.substr(0, end);
  const size_t dot = dotted.rfind('.');
  const std::string_view last = dot == kNotFound ? dotted : dotted.substr(dot + 1);
  if (!LooksLikeExceptionClass(last)) return false;
  return TakeClassAndMessage(text.substr(end - last.size()), name, message);
}

std::span<const std::string_view> BareExceptionNames() { return kBareNames; }

ExceptionHead FindExceptionHead(std::string_view text, bool anywhere) {
  ExceptionHead head;
  const size_t front = Indent(text);
  const std::string_view trimmed = text.substr(front);
  // At the front an exception begins with "torch." or with the capital of its class.
  if (!anywhere && (trimmed.empty() || (trimmed[0] != 't' && trimmed[0] != 'b' &&
                                        !(trimmed[0] >= 'A' && trimmed[0] <= 'Z')))) {
    return head;
  }
  static const LiteralSet modules({std::begin(kModules), std::end(kModules)});
  const bool names_module = anywhere ? modules.Occurs(text) : trimmed[0] == 't';
  for (size_t index = 0; names_module && index < std::size(kModules); ++index) {
    const std::string_view module = kModules[index];
    size_t at = trimmed.starts_with(module) ? front : kNotFound;
    if (at == kNotFound && anywhere) {
      at = FindText(text, module);
      if (at != kNotFound && IsMentioned(text, at)) at = kNotFound;
    }
    if (at != kNotFound && ReadQualified(text, at, index, head)) return head;
  }
  // "backend='inductor' raised:" under the name of whatever ran the model.
  if (trimmed.starts_with("backend='") && trimmed.find("' raised:") != kNotFound) {
    head.kind = RecordKind::kException;
    head.offset = front;
    head.name = "BackendCompilerFailed";
    head.message = Trim(trimmed);
    return head;
  }
  // An entry did not fit the frame that it was compiled for: torch/_dynamo/guards.py.
  std::string_view assertion = trimmed;
  if (ConsumeFront(assertion, "AssertionError: ") &&
      assertion.starts_with("Guard failed on the same frame it was created")) {
    return {RecordKind::kException, front, "AssertionError", Trim(assertion)};
  }
  for (const std::string_view bare : kBareNames) {
    if (!trimmed.starts_with(bare)) continue;
    std::string_view name;
    std::string_view message;
    if (!TakeClassAndMessage(trimmed, name, message) || name != bare) continue;
    if (!trimmed.substr(bare.size()).starts_with(":")) continue;
    head.kind = RecordKind::kException;
    head.offset = front;
    head.name = name;
    head.message = message;
    return head;
  }
  return head;
}

}  // namespace shapewise
