// Selects the actions that `tune` tries.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/change.h"
#include "causes/display_name.h"
#include "check/fixes.h"
#include "dynamo/policy_text.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "model/call_history_builder.h"
#include "model/code_owner.h"
#include "pipeline/check.h"
#include "pipeline/run_inputs.h"
#include "pipeline/run_page.h"
#include "pipeline/tune.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMostDims = 64;  // maximum number of marked dims per function
constexpr uint64_t kHigherLimit = 64;

RankedAction NewPart(std::string kind, PasteAt at, std::string policy, std::string code,
                     std::string text) {
  RankedAction part;
  part.at = at;
  part.policy = std::move(policy);
  part.action.kind = std::move(kind);
  part.action.code = std::move(code);
  part.action.text = std::move(text);
  return part;
}

void AddPart(TunedAction& action, RankedAction part, std::string function) {
  if (!part.policy.empty()) action.policy += (action.policy.empty() ? "" : " + ") + part.policy;
  action.parts.push_back(std::move(part));
  action.functions.push_back(std::move(function));
}

TunedAction NewAction(std::string origin, RankedAction part, std::string function = {}) {
  TunedAction action;
  action.origin = std::move(origin);
  AddPart(action, std::move(part), std::move(function));
  return action;
}

/// Dims of tensors of `function` with several sizes: (source, dim).
std::vector<std::pair<std::string, int32_t>> VariedDims(const RecordedFunction& function) {
  const CallHistory& history = function.history;
  std::map<std::pair<size_t, int32_t>, int64_t> first;
  std::set<std::pair<size_t, int32_t>> varied;
  for (const CallSignature& signature : history.signatures) {
    for (size_t source = 0; source < signature.values.size(); ++source) {
      const TensorValue* const tensor = history.TensorIn(signature, source);
      for (size_t dim = 0; tensor != nullptr && dim < tensor->sizes.size(); ++dim) {
        const std::pair key{source, static_cast<int32_t>(dim)};
        const auto [known, is_new] = first.emplace(key, tensor->sizes[dim]);
        if (!is_new && known->second != tensor->sizes[dim]) varied.insert(key);
      }
    }
  }
  std::vector<std::pair<std::string, int32_t>> dims;
  for (const auto& [source, dim] : varied) {
    if (dims.size() == kMostDims) break;
    dims.emplace_back(history.strings.text(history.sources[source]), dim);
  }
  return dims;
}

/// Marks all varying sizes in every function; without parts: nothing varies.
TunedAction MarksOf(const RecordedFunctions& recorded) {
  TunedAction action;
  action.origin = "generic";
  std::set<std::string> functions;
  for (const auto& function : recorded) {
    if (!functions.insert(function->function).second) continue;   // of another process
    if (IsWrapper(function->function, function->file)) continue;  // users do not write its calls
    std::string policy;
    std::string code;
    for (const auto& [source, dim] : VariedDims(*function)) {
      const std::string name = ArgumentExpr(source);
      if (name.empty()) continue;
      const std::string call = "maybe_mark_dynamic(" + name + ", " + std::to_string(dim) + ")";
      policy += (policy.empty() ? "" : " + ") + call;
      code += (code.empty() ? "" : "\n") + ("torch._dynamo." + call);
    }
    if (policy.empty()) continue;
    RankedAction part = NewPart("mark_dynamic", PasteAt::kBeforeCall, std::move(policy),
                                std::move(code), "Mark every size that varies before every call.");
    part.action.target = {function->function, function->file, function->line};
    AddPart(action, std::move(part), function->function);
  }
  return action;
}

/// What torch._dynamo.config calls the limit of compilations of a function.
std::string_view NameOfLimit(llvm::StringRef torch) {
  const auto [major, rest] = torch.split('.');
  unsigned first = 0;
  unsigned second = 0;
  const bool is_known =
      !major.getAsInteger(10, first) && !rest.take_while(llvm::isDigit).getAsInteger(10, second);
  return is_known && std::pair(first, second) < std::pair(2U, 7U) ? "cache_size_limit"
                                                                  : "recompile_limit";
}

/// What helps many programs. In an order in which of equals the more specific comes first.
std::vector<TunedAction> GenericActions(const TuneRun& baseline, const std::string& torch,
                                        const RecordedFunctions& recorded) {
  std::vector<TunedAction> actions;
  if (TunedAction marks = MarksOf(recorded); !marks.parts.empty()) {
    actions.push_back(std::move(marks));
  }
  actions.push_back(NewAction(
      "generic",
      NewPart("config", PasteAt::kCompileCall, "dynamic=True", "dynamic=True",
              "Compile with dynamic=True: all sizes are symbols from the first compile on.")));
  if (baseline.limit_hits > 0) {
    const std::string limit = std::to_string(kHigherLimit);
    const std::string name(NameOfLimit(torch));
    actions.push_back(
        NewAction("generic", NewPart("raise_limit", PasteAt::kConfig, "limit " + limit,
                                     "torch._dynamo.config." + name + " = " + limit,
                                     "Allow more compilations before a function runs eagerly.")));
  }
  const bool shares_code = std::ranges::any_of(recorded, [](const auto& function) {
    return std::ranges::any_of(function->history.calls,
                               [](const RecordedCall& call) { return call.wrapper > 0; });
  });
  if (shares_code) {
    actions.push_back(
        NewAction("generic",
                  NewPart("isolate", PasteAt::kCompileCall, "isolate", "isolate_recompiles=True",
                          "Give each torch.compile call of a function cache entries of its own.")));
  }
  actions.push_back(NewAction(
      "generic", NewPart("config", PasteAt::kCompileCall, "dynamic=False", "dynamic=False",
                         "Compile with dynamic=False: every size has a graph of its own.")));
  return actions;
}

/// The compiled function of a part; empty: all.
std::string FunctionOf(const RankedAction& part, const RecordedFunctions& recorded) {
  const std::string_view name = part.action.target.function;
  for (const auto& function : recorded) {
    const std::string& known = function->function;
    if (known == name || name.ends_with("." + known)) return known;
  }
  return {};
}

std::vector<TunedAction> AdvisedActions(const Advice& advice, const RecordedFunctions& recorded) {
  std::vector<TunedAction> actions;
  TunedAction plan;
  plan.origin = "plan";
  for (const RankedAction& ranked : advice.actions) {
    if (ranked.policy.empty()) continue;
    RankedAction part = ranked;
    part.saving.reset();  // will be measured
    part.is_planned = false;
    const std::string function = FunctionOf(part, recorded);
    if (ranked.is_planned) AddPart(plan, part, function);
    actions.push_back(NewAction("advise", std::move(part), function));
  }
  if (plan.parts.size() > 1) actions.push_back(std::move(plan));
  return actions;
}

bool HasWord(const TunedAction& action, std::string_view word) {
  return HasText(" " + action.policy, " " + std::string(word));
}

/// Why `action` is not tried; empty: it is.
std::string ReasonToSkip(const TunedAction& action, const TuneOptions& options) {
  if (HasWord(action, "buckets(") && !options.allows_padding) {
    return "pads inputs; --allow-padding tries it";
  }
  if (HasWord(action, "serve(")) return "cannot be injected into a program";
  const bool is_of_backend = HasWord(action, "mode=") || HasWord(action, "inductor.") ||
                             HasWord(action, "float32_matmul_precision");
  if (is_of_backend && !options.has_real_backend) {
    return "has an effect only on the real backend; --backend keep tries it";
  }
  return {};
}

/// Equal for actions with the same changes.
std::string KeyOf(const TunedAction& action, bool is_one_function) {
  std::set<std::string> parts;
  for (size_t i = 0; i < action.parts.size(); ++i) {
    const std::string& words = action.parts[i].policy;
    parts.insert((words.empty() ? action.policy : words) + "@" +
                 (is_one_function ? "" : action.functions[i]));
  }
  std::string key;
  for (const std::string& part : parts) key += part + "\n";
  return key;
}

std::vector<std::string> FilesWithBreaks(const Session& session) {
  std::set<std::string> paths;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (detail.kind() != EventKind::kGraphBreak) continue;
    for (const StrId file : {detail.user_file, detail.file}) {
      const std::string path(session.text(file));
      if (!path.empty() && !IsLibraryFile(path) && llvm::sys::fs::exists(path)) paths.insert(path);
    }
  }
  return {paths.begin(), paths.end()};
}

/// `path` with safe fixes; absent: none.
std::optional<TunePatch> PatchOf(const PythonFile& file, llvm::ArrayRef<CodeFinding> findings) {
  FixedText fixed = ApplyFixes(file.text, findings, /*allow_unsafe=*/false);
  if (fixed.applied.empty()) return std::nullopt;
  llvm::SmallString<256> absolute(file.path);
  (void)llvm::sys::fs::make_absolute(absolute);
  llvm::StringRef relative = absolute;
  llvm::SmallString<256> here;
  if (!llvm::sys::fs::current_path(here) && relative.consume_front(here)) {
    relative = relative.ltrim('/');
  }
  TunePatch patch;
  patch.path = std::string(absolute);
  patch.diff = UnifiedDiff(file.text, fixed.text, relative.ltrim('/').str());
  patch.text = std::move(fixed.text);
  return patch;
}

}  // namespace

Expected<std::vector<TunedAction>> TuneCandidates(const TuneOptions& options,
                                                  const TuneRun& baseline, FileSource& files,
                                                  std::vector<std::string>& gaps) {
  RecordedFunctions recorded;
  std::vector<RecordFile> read;
  for (const std::string& message :
       ReadRunRecords(options.advise.calls, files, nullptr, recorded, read)) {
    gaps.push_back(message + ".");
  }
  std::vector<TunedAction> generic = GenericActions(baseline, options.torch, recorded);
  std::vector<TunedAction> advised;
  if (!options.advise.paths.empty()) {
    Session session;
    Expected<Advice> advice = AdviseOnRun(options.advise, files, session);
    if (!advice) return advice.takeError();
    advised = AdvisedActions(*advice, recorded);
    if (auto fixes = FixesOfBreaks(session, files)) generic.insert(generic.begin(), *fixes);
  }
  // The first proposal of `advise`, then general actions, then its other proposals.
  std::vector<TunedAction> all = std::move(generic);
  const auto first = advised.begin();
  if (!advised.empty()) {
    all.insert(all.begin(), *first);
    all.insert(all.end() - 1, first + 1, advised.end());  // before dynamic=False
  }
  std::vector<TunedAction> chosen;
  std::set<std::string> known;
  std::vector<std::string> left_out;
  for (TunedAction& action : all) {
    if (!known.insert(KeyOf(action, baseline.functions.size() == 1)).second) continue;
    if (const std::string why = ReasonToSkip(action, options); !why.empty()) {
      gaps.push_back(action.policy + " was not tried: it " + why + ".");
    } else if (chosen.size() == options.max_candidates) {
      left_out.push_back(action.policy);
    } else {
      chosen.push_back(std::move(action));
    }
  }
  if (!left_out.empty()) {
    gaps.push_back(Counted(left_out.size(), "more candidate", "more candidates") +
                   (left_out.size() == 1 ? " was" : " were") +
                   " not tried (--candidates): " + Joined(left_out, "; ") + ".");
  }
  return chosen;
}

std::optional<TunedAction> FixesOfBreaks(const Session& session, FileSource& files) {
  CodeSelection selection;
  selection.paths = FilesWithBreaks(session);
  if (selection.paths.empty()) return std::nullopt;
  Expected<CodeInputs> inputs = ReadCode(selection, files);
  if (!inputs) {
    llvm::consumeError(inputs.takeError());
    return std::nullopt;
  }
  Expected<CodeAnalysis> analysis = AnalyzeCode({}, *inputs);
  if (!analysis) {
    llvm::consumeError(analysis.takeError());
    return std::nullopt;
  }
  TunedAction action;
  action.policy = "fixes";
  action.origin = "check";
  for (const PythonFile& file : inputs->files) {
    if (!file.is_checked || file.notebook != nullptr) continue;
    std::vector<CodeFinding> findings;
    std::ranges::copy_if(analysis->result.findings, std::back_inserter(findings),
                         [&](const CodeFinding& finding) { return finding.file == file.path; });
    if (std::optional<TunePatch> patch = PatchOf(file, findings)) {
      action.patches.push_back(std::move(*patch));
    }
  }
  if (action.patches.empty()) return std::nullopt;
  RankedAction part;
  part.action.kind = "fix_break";
  part.action.text = "Apply the safe fixes of shapewise check --fix.";
  action.parts.push_back(std::move(part));
  action.functions.emplace_back();
  return action;
}

}  // namespace shapewise
