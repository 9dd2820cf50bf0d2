// What rules propose, and where to insert it.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "advise/advise.h"
#include "advise/candidate.h"
#include "advise/compiled_frame.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Statements that start like this affect the whole process.
constexpr std::string_view kConfigCode[] = {"torch._dynamo.config.",
                                            "torch._inductor.config.",
                                            "torch._functorch.config.",
                                            "import torch._functorch.config",
                                            "torch.fx.experimental._config.",
                                            "torch.compiler.config.",
                                            "torch.set_float32_matmul_precision",
                                            "torch.compiler.set_enable_guard_collectives"};

/// "NAME=value": a shell assignment.
bool IsAssignment(std::string_view code) {
  ConsumeFront(code, "export ");
  size_t end = 0;
  while (end < code.size() &&
         ((code[end] >= 'A' && code[end] <= 'Z') || code[end] == '_' || IsDigit(code[end]))) {
    ++end;
  }
  return end > 2 && end < code.size() && code[end] == '=';
}

bool IsConfig(std::string_view code) {
  while (!code.empty()) {
    const std::string_view line = code.substr(0, code.find('\n'));
    const bool is_config = std::ranges::any_of(
        kConfigCode, [&](std::string_view head) { return line.starts_with(head); });
    // Code that names a variable of the program is meaningless at the top of the file.
    if (!is_config || HasText(line, "add(log.")) return false;
    code.remove_prefix(std::min(code.size(), line.size() + 1));
  }
  return true;
}

/// `function` is the one that the action is about.
PasteAt PlaceOf(const Action& action, std::string_view function) {
  const std::string& code = action.code;
  if (code.empty()) return PasteAt::kByHand;
  if (IsAssignment(code)) return PasteAt::kEnvironment;
  if (IsConfig(code)) return PasteAt::kConfig;
  // "<listcomp>", "<lambda>" and "<resume in f>" have no line for a decorator.
  if (code == "@torch.compiler.disable")
    return function.starts_with('<') ? PasteAt::kByHand : PasteAt::kDecorator;
  const std::string name = ArgumentExpr(action.source);
  const bool is_argument = !name.empty() && !HasText(name, "[") && !HasText(name, ".");
  if (action.kind == "contiguous" && is_argument && code == name + " = " + name + ".contiguous()") {
    return PasteAt::kBeforeCall;
  }
  return PasteAt::kByHand;
}

/// By event, the policies that it is evidence for.
class PoliciesByEvent {
 public:
  explicit PoliciesByEvent(const std::vector<Candidate>& policies) {
    for (const Candidate& policy : policies) {
      for (const size_t event : policy.ranked.action.evidence) {
        by_event_[event].push_back(&policy);
      }
    }
  }

  /// The first policy that gives the same advice as `action` of `finding`; null: none.
  const Candidate* Find(const Finding& finding, const Action& action) const {
    for (const size_t event : finding.events) {
      const auto policies = by_event_.find(event);
      if (policies == by_event_.end()) continue;
      for (const Candidate* policy : policies->second) {
        if (IsSameAdvice(action, policy->ranked.action)) return policy;
      }
    }
    return nullptr;
  }

 private:
  std::unordered_map<size_t, std::vector<const Candidate*>> by_event_;
};

class RuleReader {
 public:
  explicit RuleReader(const std::vector<Finding>& findings, const std::vector<Candidate>& policies)
      : findings_(findings), policies_(policies) {}

  std::vector<Candidate> Read() {
    for (size_t finding = 0; finding < findings_.size(); ++finding) {
      const std::vector<Action>& advice = findings_[finding].advice;
      for (size_t position = 0; position < advice.size(); ++position) {
        if (policies_.Find(findings_[finding], advice[position]) != nullptr) continue;
        Add(finding, position, PlaceOf(advice[position], findings_[finding].where.function));
      }
    }
    return std::move(candidates_);
  }

 private:
  // Kind, text, code and the place of the function.
  using ActionKey =
      std::tuple<std::string, std::string, std::string, std::string, std::string, uint32_t>;

  void Add(size_t finding, size_t position, PasteAt at) {
    const Finding& of = findings_[finding];
    const Action& action = of.advice[position];
    if (at == PasteAt::kEnvironment || at == PasteAt::kConfig) {
      const auto [known, is_new] = by_code_.try_emplace(action.code, candidates_.size());
      if (!is_new) return Join(of, position, candidates_[known->second]);
    }
    // One change can remove several causes of a function.
    // Where it is said to come first, it is the action of a break.
    std::string_view text = action.text;
    if (ConsumeFront(text, kStartWithBreak)) text.remove_prefix(FindText(text, ". ") + 2);
    const ActionKey key(action.kind, text, action.code, action.target.file, action.target.function,
                        action.target.line);
    const auto [known, is_new] = by_words_.try_emplace(key, candidates_.size());
    if (!is_new) return Join(of, position, candidates_[known->second]);
    Candidate& candidate = candidates_.emplace_back();
    candidate.finding = finding;
    candidate.position = position;
    candidate.is_first = position == 0;
    candidate.ranked.action = action;
    candidate.ranked.at = at;
    candidate.ranked.rule = of.rule;
    candidate.ranked.severity = of.severity;
    // Following a performance hint can make the program slower; only a measurement shows which.
    candidate.ranked.is_experiment = of.identity.kind == "perf_hint";
  }

  /// One action can address several findings.
  static void Join(const Finding& of, size_t position, Candidate& candidate) {
    constexpr size_t kMaxEvidence = 16;
    const Action& action = of.advice[position];
    candidate.is_first |= position == 0;
    std::vector<size_t>& evidence = candidate.ranked.action.evidence;
    for (const size_t event : action.evidence) {
      if (evidence.size() >= kMaxEvidence) break;
      if (std::ranges::find(evidence, event) == evidence.end()) evidence.push_back(event);
    }
    std::ranges::sort(evidence);
    candidate.ranked.severity = std::max(candidate.ranked.severity, of.severity);
    if (candidate.ranked.action.target != action.target) candidate.ranked.action.target = {};
  }

  const std::vector<Finding>& findings_;
  const PoliciesByEvent policies_;
  std::vector<Candidate> candidates_;
  std::map<std::string, size_t> by_code_;
  std::map<ActionKey, size_t> by_words_;
};

}  // namespace

bool IsSameAdvice(const Action& action, const Action& policy) {
  if (action.kind != policy.kind) return false;
  const std::string_view code = policy.code;
  if (action.kind == "config") return HasText(action.code, code.substr(0, code.find('\n')));
  // Two variables list sources: those with symbols, and those with unbacked ones.
  return action.kind != "dynamic_sources" ||
         action.code.starts_with(code.substr(0, code.find('=')));
}

std::vector<Candidate> RuleCandidates(const std::vector<Finding>& findings,
                                      const std::vector<Candidate>& policies) {
  return RuleReader(findings, policies).Read();
}

Action WordedLike(const Action& rule, const Candidate& policy) {
  Action action = policy.ranked.action;
  action.confidence = rule.confidence;
  const bool is_one_change =
      policy.changes.size() == 1 && policy.changes.front().kind != CodeChange::Kind::kBuckets;
  // The rule's text may name all sizes of the function (NameAllSizes) where the policy has one.
  // A mark of several lines is one for all items, or under a condition.
  const bool is_mark = policy.ranked.action.kind.starts_with("mark_");
  const bool names_more =
      (action.dim >= 0 && HasText(rule.code, "\n")) || (is_mark && HasText(action.code, "\n"));
  if (is_one_change && !names_more) {
    action.text = rule.text;
    action.trap = rule.trap;
    action.torch = rule.torch;
  }
  return action;
}

void NameAllSizes(llvm::ArrayRef<CompiledFrame> frames, std::vector<Finding>& findings) {
  const std::vector<Candidate> candidates = PolicyCandidates(frames);
  const PoliciesByEvent policies(candidates);
  for (Finding& finding : findings) {
    std::vector<Action>& advice = finding.advice;
    auto mark = advice.end();  // the first mark, if it is on several tensors
    for (auto action = advice.begin(); action != advice.end(); ++action) {
      const Candidate* const policy = policies.Find(finding, *action);
      if (policy == nullptr) continue;
      *action = WordedLike(*action, *policy);
      if (mark == advice.end() && action->kind == "mark_dynamic" && action->source.empty()) {
        mark = action;
      }
      // One option makes all of them dynamic, and those that the log does not show.
      if (mark != advice.end() && action->kind == "config" && action->code == "dynamic=True") {
        std::rotate(mark, action, std::next(action));
        break;
      }
    }
  }
}

}  // namespace shapewise
