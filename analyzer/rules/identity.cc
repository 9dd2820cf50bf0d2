// Runs are compared after edits, on other machines and with other PyTorch releases. An identity
// therefore only contains what these do not change:
//
//   lines            not included; torch_dynamo_resume_in_f_at_42 is "f (after a break)"
//   folders          base names only
//   wrappers         the user's function inside `inner` or `wrapper`, whose names depend on the
//   release
//   sources          L['self']._modules['a'] (until 2.6) and self._modules['a'] are self.a
//   guard classes    a size that changed, the range that replaced it and the bound that excludes 0
//                    and 1 are one group: which of them is printed depends on the order of calls
//   breaks           the registry's id, also for older wordings
//   the rule         not included: a longer run may show a counter where a short one shows a single
//                    change, or hit a limit, and still have the same cause

#include "rules/identity.h"

#include <algorithm>
#include <optional>
#include <span>

#include "causes/culprit_key.h"
#include "causes/display_name.h"
#include "causes/xla_trouble.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kAfterBreak = " (after a break)";
constexpr std::string_view kLogKind = "log";
constexpr std::string_view kCompileErrorSkip = "compile-error";  // `why` of a skipped frame

/// Kinds whose place is the line that the user wrote, not the compiled function.
bool StandsAtUserLine(CauseKind kind) {
  return kind == CauseKind::kGraphBreak || kind == CauseKind::kTorchscript ||
         kind == CauseKind::kXla;
}

void SetPlace(const Cause& cause, Identity& identity) {
  const Place& user = cause.user;
  const bool has_user = !user.function.empty() || !user.file.empty();
  if (StandsAtUserLine(cause.kind)) {
    // The line belongs to the user, even within a resume function.
    const Place& place = has_user ? user : cause.where;
    const std::optional<ResumeName> resume = ParseResumeName(place.function);
    identity.function = StableText(resume ? resume->function : std::string_view(place.function));
    identity.file = StableFile(place.file);
    return;
  }
  const bool is_unnamed = cause.where.function.empty() && cause.where.file.empty();
  if (cause.kind == CauseKind::kGuardCost && is_unnamed) {
    // Of a log that does not name the function: the place that its guards come from.
    identity.function = StableText(user.function);
    identity.file = StableFile(user.file);
    return;
  }
  std::string_view function = cause.where.function;
  const std::optional<ResumeName> resume = ParseResumeName(function);
  if (resume) function = resume->function;
  const bool stands_for_user = StandsForUser(function, cause.where.file, user);
  identity.function = StableText(stands_for_user ? std::string_view(user.function) : function);
  identity.file = StableFile(stands_for_user ? user.file : cause.where.file);
  if (resume) identity.function += kAfterBreak;
}

void SetCulprit(const Culprit& culprit, Identity& identity) {
  const GuardClass group = GroupOf(culprit.guard_class, !culprit.source.empty(), culprit.dim >= 0);
  identity.guard_class = GuardClassName(group);
  // Global state is one thing, whatever the words.
  if (group == GuardClass::kGlobalState) return;
  identity.source = StableText(SpellSources(culprit.source, SourceSpelling::kPython));
  identity.dim = culprit.dim;
}

/// "torch._dynamo.exc.Unsupported" is Unsupported.
std::string_view BareClass(std::string_view type) {
  return type.find(' ') == std::string_view::npos ? type.substr(type.rfind('.') + 1) : type;
}

void AddWord(std::string_view word, std::string& text) {
  if (word.empty()) return;
  if (!text.empty()) text += ' ';
  text += word;
}

// A longer decimal number is an object's id or address, never a size.
constexpr size_t kMinObjectIdDigits = 9;

constexpr std::string_view kNotebook = "<notebook>";

// Numbers after these words are lines, or counters of generated code.
constexpr std::string_view kBeforeRunningNumber[] = {"line ", "<eval_with_key>."};

size_t CountDigits(std::string_view text, bool is_hex) {
  const auto is_digit = [&](char c) { return is_hex ? llvm::isHexDigit(c) : IsDigit(c); };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool IsPathChar(char c) {
  return IsWordChar(c) || IsSlash(c) || c == '.' || c == '-' || c == '+' || c == '~' || c == ':';
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

/// The path characters at the front of `text`.
std::string_view PathWord(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsPathChar);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

/// Appends `word` without its volatile numbers, which depend on the text before it in `stable`.
void AppendStableWord(std::string_view word, std::string& stable) {
  while (!word.empty()) {
    if (ConsumeFront(word, "0x")) {
      stable += "0x";
      word.remove_prefix(CountDigits(word, /*is_hex=*/true));
      continue;
    }
    const size_t digits = CountDigits(word, /*is_hex=*/false);
    if (digits == 0) {
      stable.push_back(word.front());
      word.remove_prefix(1);
      continue;
    }
    const bool is_running = std::ranges::any_of(kBeforeRunningNumber, [&](std::string_view before) {
      return std::string_view(stable).ends_with(before);
    });
    if (!is_running && digits < kMinObjectIdDigits) stable.append(word.substr(0, digits));
    word.remove_prefix(digits);
  }
}

}  // namespace

Identity IdentityOf(const Cause& cause, std::string_view break_id) {
  // A log shows whether the exception of a failed compilation was raised or suppressed, a trace
  // does not: both are one cause.
  const bool is_failed_compile =
      cause.kind == CauseKind::kSkippedFrame && cause.why == kCompileErrorSkip;
  Identity identity;
  identity.kind = CauseKindName(is_failed_compile ? CauseKind::kCompileError : cause.kind);
  // The place of a server problem is a line of the log.
  if (cause.kind != CauseKind::kServer) SetPlace(cause, identity);
  if (cause.culprit) SetCulprit(*cause.culprit, identity);
  if (cause.kind == CauseKind::kGraphBreak) {
    const std::string& printed = cause.gb.empty() ? cause.type : cause.gb;
    identity.type = break_id.empty() ? StableText(printed) : std::string(break_id);
  } else {
    AddWord(StableText(BareClass(cause.type)), identity.type);
    AddWord(cause.action, identity.type);
    const bool is_xla = cause.kind == CauseKind::kXla;
    if (!is_failed_compile) {
      AddWord(is_xla ? XlaTroubleFamily(cause.why) : cause.why, identity.type);
    }
    // For other kinds the hint is the log's proposal, whose wording depends on the release.
    if (cause.kind == CauseKind::kPerfHint) AddWord(cause.hint, identity.type);
  }
  return identity;
}

Identity IdentityOfStat(std::string_view stat_name) {
  Identity identity;
  identity.kind = kLogKind;
  identity.type = stat_name;
  return identity;
}

std::string Fingerprint(const Identity& identity) {
  std::string text;
  const std::string dim = std::to_string(identity.dim);
  for (const std::string_view part :
       {std::string_view(identity.kind), std::string_view(identity.function),
        std::string_view(identity.file), std::string_view(identity.type),
        std::string_view(identity.guard_class), std::string_view(identity.source),
        std::string_view(dim)}) {
    text.append(part);
    text.push_back('\0');  // so that "ab" "c" differs from "a" "bc"
  }
  std::string digits = llvm::utohexstr(llvm::MD5Hash(text), /*LowerCase=*/true);
  digits.insert(0, 16 - digits.size(), '0');
  return digits;
}

std::string StableText(std::string_view text) {
  std::string stable;
  while (!text.empty()) {
    const std::string_view word = PathWord(text);
    if (word.empty()) {
      stable.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    AppendStableWord(BaseName(word), stable);
    text.remove_prefix(word.size());
  }
  return ToUtf8(stable);
}

std::string StableFile(std::string_view file) {
  // Jupyter: /tmp/ipykernel_71/2938.py; IPython and Colab: <ipython-input-3-1f2e>, without brackets
  // in newer releases.
  if (HasText(file, "ipykernel_") || HasText(file, "ipython-input-")) return std::string(kNotebook);
  return StableText(BaseName(file));
}

}  // namespace shapewise
