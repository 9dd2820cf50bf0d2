#include "rules/rule_set.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "llvm/ADT/StringRef.h"
#include "model/resume_name.h"
#include "rules/break_registry.h"
#include "rules/conditions.h"
#include "rules/confidence.h"
#include "rules/explain.h"
#include "rules/identity.h"
#include "rules/json_fields.h"
#include "rules/placeholders.h"
#include "rules/rule_block.h"
#include "rules/rule_file.h"
#include "rules/rule_storage.h"
#include "rules/rule_tables.h"
#include "rules/shared_actions.h"
#include "support/nearest_name.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxProposals = 3;
constexpr size_t kMaxActionEvidence = 3;
constexpr std::string_view kRegistryName = "/registry.json";
constexpr std::string_view kLibrariesName = "/libraries.json";
constexpr std::string_view kSharedActionsName = "/actions.json";

// A function that was compiled so often has no bounded set of cases.
constexpr int64_t kUnboundedLimit = 1000;

constexpr std::string_view kDynamicSources = "dynamic_sources";

// Kinds of actions at the line that triggers the cause, not at the compiled function.
constexpr std::string_view kAtUserLine[] = {"fix_break", "disable_region"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool IsCalled(const RuleHead& head, std::string_view code_or_name) {
  return llvm::StringRef(head.code).equals_insensitive(code_or_name) ||
         llvm::StringRef(head.name).equals_insensitive(code_or_name);
}

/// Adds `rule` to the list of its kind.
template <typename AnyRule>
Error Take(Expected<AnyRule> rule, const RuleSource& source, RuleStorage& storage,
           std::vector<AnyRule>& rules) {
  if (!rule) return rule.takeError();
  rule->markdown = storage.Keep(source.text);
  rules.push_back(*rule);
  return Error::success();
}

/// Parses the rule of `source` into the list of its kind.
Error ReadRule(const RuleSource& source, const nlohmann::json& shared_actions, RuleStorage& storage,
               std::vector<Rule>& rules, std::vector<CodeRule>& code_rules) {
  Expected<RuleFile> read = ReadRuleFile(source.path, source.text);
  if (!read) return read.takeError();
  const RuleFile& file = storage.files.emplace_back(std::move(*read));
  nlohmann::json& block = storage.documents.emplace_back(RuleBlockOf(file));
  if (Error error = ExpandSharedActions(file, shared_actions, block)) return error;
  return MentionsCode(block)
             ? Take(ParseCodeRuleBlock(file, block, storage), source, storage, code_rules)
             : Take(ParseRuleBlock(file, block, storage), source, storage, rules);
}

/// The common parts of rules of both kinds, by code.
std::vector<const RuleHead*> HeadsOf(const RuleTables& tables) {
  std::vector<const RuleHead*> heads;
  for (const Rule& rule : tables.rules) heads.push_back(&rule);
  for (const CodeRule& rule : tables.code_rules) heads.push_back(&rule);
  std::ranges::sort(heads, {},
                    [](const RuleHead* head) { return std::tie(head->code, head->path); });
  return heads;
}

/// Checks that codes and names are unique, with one error for each duplicate.
Error CheckUnique(const RuleTables& tables) {
  Error errors = Error::success();
  std::map<std::string_view, std::string_view> owners;  // keyed by code and name
  for (const RuleHead* head : HeadsOf(tables)) {
    for (const std::string_view key : {head->code, head->name}) {
      const auto [owner, is_new] = owners.emplace(key, head->path);
      if (is_new) continue;
      errors = llvm::joinErrors(std::move(errors),
                                MakeError(std::string(head->path) + ": " + std::string(key) +
                                          " is taken by " + std::string(owner->second)));
    }
  }
  return errors;
}

/// Checks that rules name categories of the registry only, if there is one.
Error CheckCategories(const RuleTables& tables) {
  Error errors = Error::success();
  if (tables.categories.empty()) return errors;
  for (const Rule& rule : tables.rules) {
    for (const RuleCondition& condition : rule.conditions) {
      if (ConditionName(condition) != "category") continue;
      for (const std::string_view word : condition.words) {
        const auto found = std::ranges::find(tables.categories, word, &RegistryWord::code);
        if (found != tables.categories.end()) continue;
        errors = llvm::joinErrors(
            std::move(errors),
            MakeError(std::string(rule.path) + ": the registry has no category " + Quoted(word)));
      }
    }
  }
  return errors;
}

bool HoldAll(std::span<const RuleCondition> conditions, const Subject& subject) {
  return std::ranges::all_of(
      conditions, [&](const RuleCondition& condition) { return Holds(condition, subject); });
}

/// Whether `condition` looks for words in an exception's text.
bool ReadsErrorText(const RuleCondition& condition) {
  const std::string_view name = ConditionName(condition);
  return name == "error_has" || name == "message_has" || name == "context_has";
}

/// Whether `condition` is about words that the log quotes: a text, a file or a variable.
bool ReadsWords(const RuleCondition& condition) {
  const std::string_view name = ConditionName(condition);
  return ReadsErrorText(condition) || name == "file_has" || name == "user_file_has" ||
         name == "source_names";
}

/// The order of rules, most specific last: a limit that was hit outweighs all else, and words are
/// narrower than a class or a pattern, so that they count twice.
std::pair<bool, size_t> Specificity(const Rule& rule) {
  const bool is_for_limit =
      std::ranges::any_of(rule.conditions, [](const RuleCondition& condition) {
        return ConditionName(condition) == "limit" && condition.flag;
      });
  const auto num_words = std::ranges::count_if(rule.conditions, ReadsWords);
  return {is_for_limit, rule.conditions.size() + static_cast<size_t>(num_words)};
}

Action MakeAction(const AdviceTemplate& advice, const Rule& rule, const Cause& cause) {
  Action action;
  action.kind = advice.kind;
  const bool has_user_line = cause.user.line != 0;
  action.target = has_user_line && Contains(kAtUserLine, advice.kind) ? cause.user : cause.where;
  if (cause.culprit) {
    action.source = cause.culprit->source;
    action.dim = cause.culprit->dim;
  }
  action.text = FillActionText(advice.text, cause);
  action.code = FillCode(advice.code, cause);
  // Only Dynamo's code has a function of this name; the line of its `def` is not known.
  const auto resume = ParseResumeName(action.target.function);
  if (resume && action.kind == "disable_region") {
    action.target.function = resume->function;
    action.target.line = 0;
  }
  action.trap = FillActionText(advice.trap, cause);
  action.confidence = ConfidenceOnNewLogs(advice.confidence);
  action.torch = advice.torch.empty() ? rule.torch : advice.torch;
  const size_t num_evidence = std::min(cause.events.size(), kMaxActionEvidence);
  action.evidence.assign(cause.events.begin(),
                         cause.events.begin() + static_cast<std::ptrdiff_t>(num_evidence));
  return action;
}

/// Whether `file` contains `folder`, such as "einops/", with either kind of slash.
bool GoesThrough(std::string_view file, std::string_view folder) {
  std::string path(file);
  std::ranges::replace(path, '\\', '/');
  return path.starts_with(folder) || HasText(path, "/" + std::string(folder));
}

/// Adds the distinct failed guards of unknown form, in log order.
void AddUnknownGuards(const Session& session, Cause& cause) {
  std::set<StrId> known;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (detail.kind() == EventKind::kImpliedRecompile) continue;  // none of its reasons was printed
    for (const ReasonId id : detail.reasons()) {
      const Reason& reason = session.reason(id);
      const bool is_unknown =
          reason.guard_class == GuardClass::kOther && reason.value_type == PythonType::kUnknown;
      if (!is_unknown || !known.insert(reason.guard).second) continue;
      if (cause.values.size() < kMaxCauseValues) {
        cause.values.emplace_back(session.text(reason.guard));
      }
    }
  }
  cause.distinct_values = known.size();
}

/// A counter as a cause, so that rules can match it.
Cause CauseOfStat(Stat stat, const Session& session) {
  const StatInfo& info = kStatInfos[static_cast<size_t>(stat)];
  const Stats::Count& count = session.stats().count(stat);
  Cause cause;
  if (count.first_input < session.inputs().size()) {
    cause.where.file = session.inputs()[count.first_input].name;
  }
  cause.where.line = static_cast<uint32_t>(
      std::min<uint64_t>(count.first_line, std::numeric_limits<uint32_t>::max()));
  cause.count = count.times;
  cause.type = info.name;
  cause.message = info.sentence;
  if (stat == Stat::guard_unknown) AddUnknownGuards(session, cause);
  return cause;
}

void AddWords(std::string_view text, std::vector<std::string>& words) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = begin;
    while (end < text.size() && IsWordChar(text[end])) ++end;
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Adds the words that conditions look for in text.
void AddTextWords(std::span<const RuleCondition> conditions, std::vector<std::string>& words) {
  for (const RuleCondition& condition : conditions) {
    const std::string_view name = ConditionName(condition);
    if (name == "parameter") AddWords("force_parameter_static_shapes", words);  // a hint
    const bool is_text = name.ends_with("_has") || IsOneOf(name, {"hint", "source_names"});
    if (!is_text) continue;
    for (const std::string_view text : condition.words) AddWords(text, words);
  }
}

/// Whether an action of this kind changes the line that it is about.
bool EditsCode(std::string_view kind) {
  return kind == "fix_break" || kind == "hoist" || kind == "tensorize";
}

/// Says of the first action whose code it changes, if that is not the user's.
void NoteLibrary(const Cause& cause, Finding& finding) {
  const CodeOwner owner = OwnerOf(cause);
  if (owner.IsUser() || finding.advice.empty() || !EditsCode(finding.advice.front().kind)) return;
  // What is registered stands elsewhere.
  if (HasText(finding.advice.front().code, "register_fake")) return;
  std::string name(owner.library);
  if (owner.library == "torch") name = "PyTorch";
  if (owner.library == "python") name = "Python";
  // With a line of the user's in the compiled function, the advice is about that.
  const bool has_caller = !cause.caller.empty() && !cause.calls_compiled;
  std::string note = has_caller
                         ? "The break is in " + name +
                               ", which this line calls: an option or a newer release may avoid it."
                         : "This line is in " + name +
                               ": look for an option or a newer release that avoids it, or report "
                               "it there.";
  std::string& trap = finding.advice.front().trap;
  if (!trap.empty()) note += " ";
  trap.insert(0, note);
}

}  // namespace

struct RuleSet::State {
  State(const RuleTables& all, std::unique_ptr<const RuleStorage> owner)
      : storage(std::move(owner)), tables(all), registry(all) {
    const std::span<const Rule> rules = tables.rules;
    for (uint32_t i = 0; i < rules.size(); ++i) {
      const std::optional<CauseKind>& over = rules[i].over;
      tried[over ? static_cast<size_t>(*over) : kNumCauseKinds].push_back(i);
      // A suppressed exception has the cause and the remedy of a raised one.
      if (over == CauseKind::kCompileError &&
          std::ranges::any_of(rules[i].conditions, ReadsErrorText)) {
        tried[static_cast<size_t>(CauseKind::kSkippedFrame)].push_back(i);
      }
    }
    // The first rule whose conditions all hold is then the most specific; ties go to the lowest
    // code, because rules are sorted by code. That an exception was suppressed is a fact, too.
    for (size_t row = 0; row < tried.size(); ++row) {
      std::ranges::stable_sort(tried[row], std::ranges::greater(), [&](uint32_t i) {
        const bool is_for_raised = row == static_cast<size_t>(CauseKind::kSkippedFrame) &&
                                   rules[i].over == CauseKind::kCompileError;
        std::pair<bool, size_t> specificity = Specificity(rules[i]);
        specificity.second += is_for_raised ? 1 : 0;
        return specificity;
      });
    }
  }

  std::unique_ptr<const RuleStorage> storage;  ///< null for tables of the program
  RuleTables tables;
  BreakRegistry registry;
  /// Indices of rules by kind of cause, in matching order; the last row is for the log.
  std::array<std::vector<uint32_t>, kNumCauseKinds + 1> tried;
};

RuleSet::RuleSet(std::unique_ptr<const State> state) : state_(std::move(state)) {}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

Expected<RuleSet> RuleSet::FromFiles(std::span<const RuleSource> files) {
  nlohmann::json shared_actions = nlohmann::json::object();
  for (const RuleSource& file : files) {
    if (!file.path.ends_with(kSharedActionsName)) continue;
    Expected<nlohmann::json> read = ParseSharedActions(file.path, file.text);
    if (!read) return read.takeError();
    shared_actions = std::move(*read);
  }
  auto storage = std::make_unique<RuleStorage>();
  RuleTables tables;
  std::vector<Rule> rules;
  std::vector<CodeRule> code_rules;
  Error errors = Error::success();
  const auto add = [&](Error error) {
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  };
  bool has_registry = false;
  for (const RuleSource& file : files) {
    if (file.path.ends_with(kSharedActionsName)) continue;
    if (file.path.ends_with(kRegistryName)) {
      if (has_registry) add(MakeError(std::string(file.path) + ": a second registry"));
      has_registry = true;
      add(ReadRegistry(file.path, file.text, *storage, tables));
    } else if (file.path.ends_with(kLibrariesName)) {
      Expected<std::span<const LibraryRemedy>> remedies =
          ParseLibraries(file.path, file.text, *storage);
      if (remedies) {
        tables.remedies = *remedies;
      } else {
        add(remedies.takeError());
      }
    } else {
      add(ReadRule(file, shared_actions, *storage, rules, code_rules));
    }
  }
  const auto by_code = [](const RuleHead& head) { return std::tie(head.code, head.path); };
  std::ranges::sort(rules, {}, by_code);
  std::ranges::sort(code_rules, {}, by_code);
  tables.rules = storage->Keep(rules);
  tables.code_rules = storage->Keep(code_rules);
  add(CheckUnique(tables));
  add(CheckCategories(tables));
  if (errors) return errors;
  return RuleSet(std::make_unique<State>(tables, std::move(storage)));
}

RuleSet RuleSet::FromTables(const RuleTables& tables) {
  return RuleSet(std::make_unique<State>(tables, nullptr));
}

const RuleTables& RuleSet::tables() const { return state_->tables; }

std::span<const Rule> RuleSet::rules() const { return state_->tables.rules; }

std::span<const CodeRule> RuleSet::code_rules() const { return state_->tables.code_rules; }

std::vector<const RuleHead*> RuleSet::Heads() const { return HeadsOf(state_->tables); }

const Rule* RuleSet::Find(std::string_view code_or_name) const {
  const auto found =
      std::ranges::find_if(rules(), [&](const Rule& rule) { return IsCalled(rule, code_or_name); });
  return found == rules().end() ? nullptr : &*found;
}

const RuleHead* RuleSet::FindHead(std::string_view code_or_name) const {
  const std::vector<const RuleHead*> heads = Heads();
  const auto found = std::ranges::find_if(
      heads, [&](const RuleHead* head) { return IsCalled(*head, code_or_name); });
  return found == heads.end() ? nullptr : *found;
}

const Rule* RuleSet::MatchRule(const Subject& subject) const {
  const size_t row = subject.stat ? kNumCauseKinds : static_cast<size_t>(subject.cause.kind);
  for (const uint32_t i : state_->tried[row]) {
    const Rule& rule = rules()[i];
    const bool is_for_raised =
        rule.over == CauseKind::kCompileError && subject.cause.kind == CauseKind::kSkippedFrame;
    if (is_for_raised && subject.cause.why != WhyName(Why::kCompileError)) continue;
    if (HoldAll(rule.conditions, subject)) return &rule;
  }
  return nullptr;
}

Subject RuleSet::SubjectOf(const Cause& cause) const {
  const bool is_break = cause.kind == CauseKind::kGraphBreak;
  return {.cause = cause, .entry = is_break ? Classify(cause) : nullptr, .stat = {}};
}

const Rule* RuleSet::Match(const Cause& cause) const { return MatchRule(SubjectOf(cause)); }

Finding RuleSet::MakeFinding(const Rule& rule, const Cause& cause) const {
  const Subject subject = SubjectOf(cause);
  Finding finding;
  finding.rule = rule.code;
  finding.name = rule.name;
  finding.severity = rule.severity;
  finding.message = FillPlaceholders(rule.message, cause);
  if (const std::string_view also = FactOf(cause, "also_failed"); !also.empty()) {
    finding.message.append("; also failed: ").append(also);
  }
  if (cause.kind == CauseKind::kRecompile && cause.fatal) {
    finding.message += "; here a recompile is an error (fail_on_recompile or error_on_recompile)";
  }
  finding.where = cause.where;
  finding.user = cause.user;
  finding.cause = cause.culprit;
  finding.values = cause.values;
  if (cause.pattern != ValuePattern::kNone) finding.pattern = ValuePatternName(cause.pattern);
  finding.count = cause.count;
  finding.cost_seconds = cause.cost_seconds;
  finding.ranks = cause.ranks;
  finding.events = cause.events;
  const bool is_resumed = ParseResumeName(cause.where.function).has_value();
  const bool is_break = cause.kind == CauseKind::kGraphBreak;
  for (const AdviceTemplate& advice : rule.advice) {
    if (!HoldAll(advice.conditions, subject)) continue;
    // A break that raised an error, as with fullgraph=True, would also do so at a disabled call,
    // and one that Dynamo cannot resume after, as in a loop, would also take the whole frame with
    // it. A backend that fails takes the frame with it wherever the operator stands.
    const bool is_worse_than_split = cause.fatal || (is_break && !cause.why.empty() &&
                                                     !cause.type.starts_with("Backend compiler"));
    if (is_worse_than_split && advice.kind == "disable_region") continue;
    Action action = MakeAction(advice, rule, cause);
    // Without a source, this setting is useless.
    if (action.kind == kDynamicSources && action.code.empty()) continue;
    // Users do not write the calls after a graph break, and sources that only Dynamo names
    // (___stack0) cannot be marked.
    const bool is_mark = action.kind.starts_with("mark_");
    if (is_mark && (is_resumed || (action.code.empty() && !advice.code.empty()))) continue;
    finding.advice.push_back(std::move(action));
  }
  AddRemedy(rule, subject, finding);
  const bool is_of_line = is_break || cause.kind == CauseKind::kSkippedFrame;
  if (is_of_line && FindRemedy(subject) == nullptr) NoteLibrary(cause, finding);
  if (cause.limit >= kUnboundedLimit) {
    std::erase_if(finding.advice,
                  [](const Action& action) { return action.kind == "raise_limit"; });
  }
  for (const NextStepTemplate& step : rule.next_steps) {
    if (!HoldAll(step.conditions, subject)) continue;
    finding.next_steps.push_back({FillActionText(step.text, cause), FillCode(step.code, cause)});
  }
  finding.torch = rule.torch;
  finding.identity = IdentityOf(cause, BreakId(cause));
  finding.fingerprint = Fingerprint(finding.identity);
  finding.runs_eager = (cause.limit_hit && !cause.limit_raised) ||
                       cause.kind == CauseKind::kSkippedFrame || (is_break && !cause.why.empty());
  return finding;
}

const LibraryRemedy* RuleSet::FindRemedy(const Subject& subject) const {
  const Cause& cause = subject.cause;
  for (const LibraryRemedy& remedy : state_->tables.remedies) {
    if (std::ranges::find(remedy.over, cause.kind) == remedy.over.end()) continue;
    const bool is_of_server = !remedy.server.empty() && cause.server == remedy.server;
    const bool is_of_library = std::ranges::any_of(remedy.folders, [&](std::string_view folder) {
      return GoesThrough(cause.where.file, folder) || GoesThrough(cause.user.file, folder);
    });
    if (!is_of_server && !is_of_library) continue;
    if (HoldAll(remedy.advice.conditions, subject)) return &remedy;
  }
  return nullptr;
}

bool RuleSet::HasRemedy(const Cause& cause) const {
  return FindRemedy(SubjectOf(cause)) != nullptr;
}

/// Puts the remedy for the code of a library first, and removes actions that do not help there.
void RuleSet::AddRemedy(const Rule& rule, const Subject& subject, Finding& finding) const {
  const LibraryRemedy* const remedy = FindRemedy(subject);
  if (remedy == nullptr) return;
  std::erase_if(finding.advice, [&](const Action& action) {
    return std::ranges::find(remedy->instead_of, action.kind) != remedy->instead_of.end();
  });
  Action action = MakeAction(remedy->advice, rule, subject.cause);
  // The change is in the program, not in the library.
  if (!OwnerOf(action.target.file).IsUser()) action.target = {};
  finding.advice.insert(finding.advice.begin(), std::move(action));
}

std::vector<Finding> RuleSet::LogFindings(const Session& session) const {
  std::vector<Finding> findings;
  for (size_t i = 0; i < kNumStats; ++i) {
    if (session.stats().count(i).times == 0) continue;
    const auto stat = static_cast<Stat>(i);
    const Cause cause = CauseOfStat(stat, session);
    const Rule* rule = MatchRule({.cause = cause, .stat = stat});
    if (rule == nullptr) continue;
    Finding& finding = findings.emplace_back(MakeFinding(*rule, cause));
    finding.identity = IdentityOfStat(kStatInfos[i].name);
    finding.fingerprint = Fingerprint(finding.identity);
  }
  return findings;
}

const RegistryEntry* RuleSet::FindBreak(std::string_view gb_id) const {
  return state_->registry.FindById(gb_id);
}

const RegistryEntry* RuleSet::FindBreakByType(std::string_view type) const {
  return state_->registry.FindByType(type);
}

const RegistryEntry* RuleSet::Classify(const Cause& graph_break) const {
  const RegistryEntry* entry = FindBreak(graph_break.gb);
  return entry != nullptr ? entry : FindBreakByType(graph_break.type);
}

std::string_view RuleSet::BreakId(const Cause& cause) const {
  if (cause.kind != CauseKind::kGraphBreak) return {};
  const RegistryEntry* entry = Classify(cause);
  if (entry == nullptr) return {};
  // Logs without ids match the first of several entries with one type.
  const RegistryEntry* first = FindBreakByType(entry->type);
  if (first != nullptr) entry = first;
  return entry->alias.empty() ? entry->id : entry->alias;
}

std::span<const RegistryEntry> RuleSet::registry() const { return state_->tables.registry; }

std::string RuleSet::ExplainBreak(const RegistryEntry& entry) const {
  Cause cause;
  cause.kind = CauseKind::kGraphBreak;
  cause.gb = entry.id;
  cause.type = entry.type;
  return BreakManual(entry, state_->registry, Match(cause));
}

std::vector<std::string> RuleSet::TextWords() const {
  std::vector<std::string> words;
  for (const RegistryEntry& entry : registry()) {
    AddWords(entry.type, words);
    for (const std::string_view wording : entry.also) AddWords(wording, words);
  }
  for (const Rule& rule : rules()) {
    AddTextWords(rule.conditions, words);
    for (const AdviceTemplate& advice : rule.advice) AddTextWords(advice.conditions, words);
    for (const NextStepTemplate& step : rule.next_steps) AddTextWords(step.conditions, words);
  }
  for (const LibraryRemedy& remedy : state_->tables.remedies)
    AddTextWords(remedy.advice.conditions, words);
  return words;
}

std::vector<RuleProse> RuleSet::Prose() const {
  std::vector<RuleProse> prose;
  prose.reserve(rules().size());
  for (const Rule& rule : rules()) prose.push_back(ProseOf(rule));
  return prose;
}

Expected<std::string> RuleSet::Explain(std::string_view what) const {
  if (const RuleHead* head = FindHead(what)) return RuleManual(*head);
  if (const RegistryEntry* entry = FindBreak(what)) return ExplainBreak(*entry);

  const std::string unknown = "no rule or graph break is called '" + std::string(what) + "'";
  const auto begins_so = [&](const RuleHead* head) { return head->code.starts_with(what); };
  if (!what.empty() && std::ranges::any_of(Heads(), begins_so)) {
    return MakeError(unknown + "; for rules whose code begins so, run: shapewise rules " +
                     std::string(what));
  }
  // Codes with similar digits are about something else.
  const std::string_view family = what.substr(0, what.find_first_of("0123456789"));
  const auto is_of_family = [&](const RuleHead* head) { return head->code.starts_with(family); };
  if (family.size() == 3 && family.size() < what.size() &&
      std::ranges::any_of(Heads(), is_of_family)) {
    return MakeError(unknown + "; to list the rules of this kind: shapewise rules " +
                     std::string(family));
  }
  if (family == "GB" && family.size() < what.size()) {
    return MakeError(unknown + "; the ids are those of torch/_dynamo/graph_break_registry.json");
  }
  std::vector<std::string_view> names;
  for (const RuleHead* head : Heads()) names.insert(names.end(), {head->code, head->name});
  std::string proposals = Joined(NearestNames(what, names, kMaxProposals), ", ");
  if (proposals.empty()) return MakeError(unknown + "; `shapewise rules` lists the rules");
  return MakeError(unknown + "; nearest: " + proposals);
}

}  // namespace shapewise
