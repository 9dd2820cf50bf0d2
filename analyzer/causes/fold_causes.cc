// Combines the causes of all kinds in an order that depends on their contents only.

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "causes/cause.h"
#include "causes/compile_ledger.h"
#include "causes/find_causes.h"
#include "causes/logged_number.h"
#include "model/break_types.h"
#include "model/compile_number.h"
#include "model/event.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// All events, rank by rank. The interleaving of ranks in one input is random and must not affect
// the result; the lines of one rank stay in order.
std::vector<size_t> ProcessOrder(const Session& session) {
  std::vector<size_t> order(session.events().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&session](size_t a, size_t b) {
    const int32_t rank_a = session.events()[a].rank;
    const int32_t rank_b = session.events()[b].rank;
    return std::tie(rank_a, a) < std::tie(rank_b, b);
  });
  return order;
}

auto InOrder(const Place& place) { return std::tie(place.file, place.line, place.function); }

/// Whether the error only says that a limit was hit. Until 2.4 it was Unsupported.
bool IsRaisedLimit(const Cause& cause) {
  if (cause.kind == CauseKind::kCompileError) {
    return IsLimitError(cause.type) || SaysLimitReached(cause.message);
  }
  return cause.kind == CauseKind::kGraphBreak && cause.fatal &&
         HasText(cause.type, "limit exceeded");
}

/// Finds the limits of a run.
class Limits {
 public:
  Limits(const Session& session, const std::vector<Cause>& causes);

  /// The cause of the limit that was raised as the error `index`: the last earlier one in its input
  /// and, if both have a rank, of the same rank; else the only one of the run. An error with a
  /// compile id, as in traces, only matches the limit with that id.
  std::optional<size_t> CauseAfter(size_t index) const;

 private:
  using CauseOfEvent = std::map<size_t, size_t>;  // by event index

  static constexpr int32_t kAnyRank = kNoRank - 1;

  std::string_view IdOf(size_t index) const {
    return WithoutAttempt(session_.text(session_.events()[index].compile_id));
  }

  const Session& session_;
  CauseOfEvent all_;
  std::map<ProcessKey, CauseOfEvent> of_process_;
};

Limits::Limits(const Session& session, const std::vector<Cause>& causes) : session_(session) {
  for (size_t cause = 0; cause < causes.size(); ++cause) {
    for (const size_t index : causes[cause].events) {
      const Event& event = session.events()[index];
      if (session.detail(event).kind() != EventKind::kRecompileLimit) continue;
      all_.emplace(index, cause);
      of_process_[ProcessOf(event)].emplace(index, cause);
      of_process_[{kAnyRank, event.input}].emplace(index, cause);
    }
  }
}

std::optional<size_t> Limits::CauseAfter(size_t index) const {
  const Event& error = session_.events()[index];
  // A traceback has no prefix with the rank.
  const int32_t rank = error.rank == kNoRank ? kAnyRank : error.rank;
  const std::string_view id = IdOf(index);
  for (const ProcessKey& process :
       {ProcessKey{rank, error.input}, ProcessKey{kNoRank, error.input}}) {
    const auto limits = of_process_.find(process);
    if (limits == of_process_.end()) continue;
    auto after = limits->second.upper_bound(index);
    while (after != limits->second.begin()) {
      --after;
      if (id.empty() || IdOf(after->first) == id) return after->second;
    }
  }
  if (all_.size() == 1 && (id.empty() || IdOf(all_.begin()->first) == id))
    return all_.begin()->second;
  return std::nullopt;
}

/// Moves the cost of an event along with it to another cause.
void MoveCost(std::optional<Micros> micros, Cause& from, Cause& to) {
  if (!micros) return;
  to.cost_seconds = ToSeconds(ToMicros(to.cost_seconds).value_or(0) + *micros);
  from.cost_seconds = ToSeconds(ToMicros(from.cost_seconds).value_or(0) - *micros);
}

void MoveTo(std::vector<Cause>& causes, std::vector<Cause>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(causes));
}

/// With fullgraph=True or fail_on_recompile_limit_hit a limit is raised as an error. The log then
/// contains it up to three times: as a warning, a break and an exception. Moves the events of the
/// latter two to the cause of the first, and drops the causes that become empty.
void FoldRaisedLimits(const Session& session, const CompileLedger& ledger,
                      std::vector<Cause>& causes) {
  if (std::none_of(causes.begin(), causes.end(), IsRaisedLimit)) return;
  const Limits limits(session, causes);
  for (Cause& raised : causes) {
    if (!IsRaisedLimit(raised)) continue;
    std::erase_if(raised.events, [&](size_t index) {
      const std::optional<size_t> limit = limits.CauseAfter(index);
      if (!limit) return false;
      causes[*limit].limit_raised = true;
      causes[*limit].events.push_back(index);
      MoveCost(ledger.MicrosOf(index), raised, causes[*limit]);
      raised.count -= session.events()[index].times();
      return true;
    });
  }
  for (Cause& cause : causes) {
    if (cause.limit_raised) std::sort(cause.events.begin(), cause.events.end());
  }
  std::erase_if(causes, [](const Cause& cause) { return cause.events.empty(); });
}

/// Whether the line that ended the frame is in another function, which the frame's loop calls.
bool IsBelowFrame(const Session& session, const EventDetail& detail) {
  const std::string_view frame = session.text(detail.function);
  const std::string_view user = session.text(detail.user_function);
  const auto resume = ParseResumeName(frame);
  const auto user_resume = ParseResumeName(user);
  // A comprehension is the loop itself.
  if (frame.empty() || user.empty() || user.starts_with('<')) return false;
  return (resume ? resume->function : frame) != (user_resume ? user_resume->function : user) ||
         detail.file != detail.user_file || (!resume && detail.user_line < detail.function_line);
}

/// A function that Dynamo leaves because a break stands in a loop or a block is a consequence of
/// that break: its events go to the break of the same line. The function's own cause goes.
void FoldEndedFrames(const Session& session, std::vector<Cause>& causes) {
  const auto is_ended = [](const Cause& cause) {
    return cause.kind == CauseKind::kSkippedFrame && cause.user.line != 0 &&
           (cause.why == WhyName(Why::kLoopBreak) || cause.why == WhyName(Why::kCannotResume));
  };
  std::map<std::pair<std::string_view, uint32_t>, Cause*> breaks;
  for (Cause& cause : causes) {
    if (cause.kind != CauseKind::kGraphBreak) continue;
    breaks.emplace(std::pair(std::string_view(cause.user.file), cause.user.line), &cause);
    for (const size_t index : cause.events) {
      const EventDetail& detail = session.detail(session.events()[index]);
      breaks.emplace(std::pair(session.text(detail.user_file), detail.user_line), &cause);
    }
  }
  for (Cause& cause : causes) {
    if (!is_ended(cause)) continue;
    const auto found = breaks.find({cause.user.file, cause.user.line});
    if (found == breaks.end()) continue;
    if (found->second->why.empty()) found->second->why = cause.why;
    found->second->is_below_loop |=
        cause.why == WhyName(Why::kLoopBreak) &&
        std::ranges::all_of(cause.events, [&](size_t index) {
          return IsBelowFrame(session, session.detail(session.events()[index]));
        });
    std::vector<size_t>& events = found->second->events;
    events.insert(events.end(), cause.events.begin(), cause.events.end());
    std::sort(events.begin(), events.end());
    cause.events.clear();
  }
  std::erase_if(causes,
                [&](const Cause& cause) { return is_ended(cause) && cause.events.empty(); });
}

/// Records for a recompile the break in a loop without which its function would be part of the
/// graph of the loop: the function has the same break, and so has the one that runs eagerly for it.
void NoteLoopsAround(const Session& session, std::vector<Cause>& causes) {
  using FrameKey = std::tuple<uint32_t, int32_t, uint32_t>;  // input, rank and number
  const auto frame_of = [&](size_t index) -> std::optional<FrameKey> {
    const Event& event = session.events()[index];
    const auto number = ParseCompileNumber(session.text(event.compile_id));
    if (!number) return std::nullopt;
    return FrameKey(event.input, event.rank, number->frame);
  };
  std::map<FrameKey, std::string> breaks;  // by the function that the loop calls
  for (const Cause& cause : causes) {
    const bool is_below = cause.kind == CauseKind::kGraphBreak && cause.is_below_loop;
    if (!is_below || !OwnerOf(cause).IsUser()) continue;
    std::set<FrameKey> loops;
    std::set<FrameKey> frames;
    for (const size_t index : cause.events) {
      const EventDetail& detail = session.detail(session.events()[index]);
      const bool is_loop = detail.why() == Why::kLoopBreak;
      if (const auto frame = frame_of(index)) (is_loop ? loops : frames).insert(*frame);
    }
    if (loops.empty()) continue;
    const std::string place = cause.user.file + ":" + std::to_string(cause.user.line);
    for (const FrameKey& frame : frames) {
      if (!loops.contains(frame)) breaks.emplace(frame, place);
    }
  }
  for (Cause& cause : causes) {
    if (breaks.empty() || cause.kind != CauseKind::kRecompile || cause.events.empty()) continue;
    const auto frame = frame_of(cause.events.front());
    const auto found = frame ? breaks.find(*frame) : breaks.end();
    if (found != breaks.end()) cause.facts.emplace_back("split_by", found->second);
  }
}

/// The function that broke, of the rest of one.
std::string BaseFunction(const std::string& function) {
  const auto resume = ParseResumeName(function);
  return resume ? std::string(resume->function) : function;
}

/// A number that a break passes on is used as the code uses what it read there.
void NoteUseOfItems(std::vector<Cause>& causes) {
  std::map<std::pair<std::string_view, uint32_t>, ValueUse> uses;  // by function and line
  for (const Cause& cause : causes) {
    const bool has_use = cause.kind == CauseKind::kGraphBreak && cause.use != ValueUse::kUnknown;
    if (has_use)
      uses.emplace(std::pair(std::string_view(cause.user.function), cause.user.line), cause.use);
  }
  for (Cause& cause : causes) {
    if (!cause.culprit || cause.kind != CauseKind::kRecompile) continue;
    const bool is_passed_on =
        ParseSource(cause.culprit->source).root == SourceRef::Root::kTemporary;
    const auto resume = ParseResumeName(cause.where.function);
    if (!is_passed_on || !resume) continue;
    const auto found = uses.find({resume->function, resume->line});
    if (found != uses.end()) cause.use = std::max(cause.use, found->second);
  }
}

/// Records the function that each break in the user's code splits. A repeated break is printed
/// without it.
void NoteBrokenFunctions(const Session& session, std::vector<Cause>& causes) {
  for (Cause& cause : causes) {
    if (cause.kind != CauseKind::kGraphBreak || !OwnerOf(cause).IsUser()) continue;
    for (const size_t index : cause.events) {
      const StrId function = session.detail(session.events()[index]).user_function;
      if (function == StrId::kNone) continue;
      cause.facts.emplace_back("broken_function",
                               BaseFunction(std::string(session.text(function))));
      break;
    }
  }
}

/// The rest of a function that broke at `pack_padded_sequence` works on packed sequences.
void NotePackedSequences(std::vector<Cause>& causes) {
  for (const Cause& pack : causes) {
    const bool packs =
        pack.kind == CauseKind::kGraphBreak && HasText(pack.context, "pack_padded_sequence");
    if (!packs) continue;
    for (Cause& cause : causes) {
      const bool is_after = cause.user.file == pack.user.file &&
                            cause.user.function == pack.user.function &&
                            cause.user.line > pack.user.line;
      if (is_after) cause.facts.emplace_back("packed", "true");
    }
  }
}

/// What a break shows a function to do besides computing: "runs the backward pass"; empty: nothing.
std::string_view DeedOf(const Cause& cause) {
  const std::string_view context = cause.context;
  if (HasText(cause.type, "Tensor.backward") || HasText(cause.type, "autograd.grad")) {
    return "runs the backward pass";
  }
  if (HasText(context, "qualname: Optimizer.") || HasText(context, "torch/optim/")) {
    return "steps the optimizer";
  }
  const bool reads_number =
      HasText(cause.type, "Tensor.item") || HasText(cause.type, "ata dependent operator");
  const bool is_logged = reads_number && IsLoggedNumber(cause.code, cause.user.function);
  if (is_logged || HasText(cause.type, "logging.Logger")) return "logs";
  return HasText(context, "module: time,") ? "takes the time" : std::string_view();
}

/// Notes for the recompiles of a function, or of the rest of one, what else it does according to
/// its breaks. A value that another function reads, such as one of the model, is not needed for
/// that.
void NoteDeeds(const Session& session, std::vector<Cause>& causes) {
  std::map<std::pair<std::string, std::string>, std::set<std::string_view>> deeds;  // by function
  for (const Cause& cause : causes) {
    const std::string_view deed = cause.kind == CauseKind::kGraphBreak ? DeedOf(cause) : "";
    if (deed.empty()) continue;
    // A repeated break is printed without its function.
    for (const size_t index : cause.events) {
      const EventDetail& detail = session.detail(session.events()[index]);
      const std::string function(session.text(detail.user_function));
      if (function.empty()) continue;
      deeds[{std::string(session.text(detail.user_file)), BaseFunction(function)}].insert(deed);
    }
  }
  for (Cause& cause : causes) {
    if (cause.kind != CauseKind::kRecompile) continue;
    const std::string function = BaseFunction(cause.where.function);
    const std::string reader = BaseFunction(cause.user.function);
    if (!reader.empty() && reader != function) continue;
    const auto found = deeds.find({cause.where.file, function});
    if (found == deeds.end()) continue;
    std::string text;
    for (const std::string_view deed : found->second) {
      text.append(text.empty() ? "" : " and ").append(deed);
    }
    cause.facts.emplace_back("deeds", std::move(text));
  }
}

/// Adds what `from` counts to `to`.
void MergeInto(const Cause& from, Cause& to) {
  to.count += from.count;
  to.events.insert(to.events.end(), from.events.begin(), from.events.end());
  std::sort(to.events.begin(), to.events.end());
  std::set<int32_t> ranks(to.ranks.begin(), to.ranks.end());
  ranks.insert(from.ranks.begin(), from.ranks.end());
  to.ranks.assign(ranks.begin(), ranks.end());
  if (from.cost_seconds) to.cost_seconds = to.cost_seconds.value_or(0) + *from.cost_seconds;
}

/// The ranks of a run compile the same functions: a record of one rank that is cut before the
/// reason has that of the same compile on another.
void FoldCutRanks(const Session& session, std::vector<Cause>& causes) {
  using Compile = std::tuple<StrId, StrId, uint32_t, StrId>;
  const auto compile_of = [&](size_t index) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    return Compile(detail.function, detail.file, detail.function_line, event.compile_id);
  };
  const auto is_cut = [](const Cause& cause) {
    return cause.kind == CauseKind::kRecompile && cause.culprit && cause.is_cut &&
           cause.culprit->guard_class == GuardClass::kEmpty && !cause.limit_hit &&
           !cause.ranks.empty() && !cause.events.empty();
  };
  if (std::ranges::none_of(causes, is_cut)) return;
  std::map<Compile, std::set<Cause*>> known;
  for (Cause& cause : causes) {
    const bool is_known = cause.kind == CauseKind::kRecompile && cause.culprit &&
                          cause.culprit->guard_class != GuardClass::kEmpty && !cause.ranks.empty();
    if (!is_known) continue;
    for (const size_t index : cause.events) known[compile_of(index)].insert(&cause);
  }
  std::set<const Cause*> folded;
  for (const Cause& cause : causes) {
    if (!is_cut(cause)) continue;
    std::set<Cause*> reasons;
    for (const size_t index : cause.events) {
      const auto found = known.find(compile_of(index));
      const bool has_id = session.events()[index].compile_id != StrId::kNone;
      if (!has_id || found == known.end()) {
        reasons.clear();
        break;
      }
      reasons.insert(found->second.begin(), found->second.end());
    }
    if (reasons.size() != 1) continue;
    MergeInto(cause, **reasons.begin());
    folded.insert(&cause);
  }
  std::erase_if(causes, [&](const Cause& cause) { return folded.contains(&cause); });
}

/// A layout shows in several strides of a tensor: they are one cause, that of the limit or of the
/// most recompiles. Where several tensors of a function change theirs, each needs the same change.
void FoldStrides(std::vector<Cause>& causes) {
  std::map<std::tuple<std::string, uint32_t, std::string>, std::map<std::string, Cause*>> tensors;
  const auto is_first = [](const Cause& a, const Cause& b) {
    return std::tuple(a.limit_hit, a.count) > std::tuple(b.limit_hit, b.count);
  };
  for (Cause& cause : causes) {
    if (!cause.culprit || cause.culprit->guard_class != GuardClass::kStride) continue;
    auto& of_function = tensors[{cause.where.file, cause.where.line, cause.where.function}];
    const auto [found, is_new] = of_function.try_emplace(cause.culprit->source, &cause);
    if (is_new) continue;
    Cause*& first = found->second;
    Cause* other = &cause;
    if (is_first(*other, *first)) std::swap(first, other);
    MergeInto(*other, *first);
    other->events.clear();
  }
  for (const auto& [function, of_function] : tensors) {
    if (of_function.size() < 2) continue;
    std::vector<std::string> names;
    std::vector<std::string> copies;
    for (const auto& [source, cause] : of_function) {
      names.push_back(SpellSources(NameOfSource(source), SourceSpelling::kPython));
      copies.push_back(names.back() + ".contiguous()");
    }
    for (const auto& [source, cause] : of_function) {
      cause->facts.emplace_back("strided", Joined(names, " and "));
      cause->facts.emplace_back("contiguous_code",
                                Joined(names, ", ") + " = " + Joined(copies, ", "));
    }
  }
  // Causes of other kinds may have no event.
  std::erase_if(causes, [](const Cause& cause) {
    return cause.culprit && cause.culprit->guard_class == GuardClass::kStride &&
           cause.events.empty();
  });
}

/// The list or dict that has `source` as an item, as in user code: "keep" for "L['keep'][5]".
/// Empty: it is no item.
std::string ContainerOf(const std::string& source) {
  const SourceRef parsed = ParseSource(source);
  const bool is_item =
      !parsed.path.empty() && (parsed.path.back().kind == SourceStep::Kind::kIndex ||
                               parsed.path.back().kind == SourceStep::Kind::kKey);
  if (!is_item) return {};
  const std::string name = SpellSources(NameOfSource(source), SourceSpelling::kPython);
  return name.substr(0, name.rfind('['));
}

/// Flags of one list or dict that one line reads, as in a loop over layers with `if use:`, are one
/// cause, that of the limit or of the most recompiles: each combination has a graph.
void FoldFlags(std::vector<Cause>& causes) {
  constexpr size_t kMostCounted = 10;
  using Line = std::tuple<std::string, std::string, uint32_t, std::string>;  // and the container
  std::map<Line, std::vector<Cause*>> flags;
  for (Cause& cause : causes) {
    const bool is_flag = cause.kind == CauseKind::kRecompile && cause.culprit &&
                         cause.culprit->guard_class == GuardClass::kBool && cause.user.line != 0;
    if (!is_flag) continue;
    const std::string container = ContainerOf(cause.culprit->source);
    if (container.empty()) continue;
    flags[{cause.where.function, cause.user.file, cause.user.line, container}].push_back(&cause);
  }
  std::set<const Cause*> folded;
  for (const auto& [line, of_line] : flags) {
    if (of_line.size() < 2) continue;
    Cause& first = **std::ranges::max_element(
        of_line, {}, [](const Cause* cause) { return std::tuple(cause->limit_hit, cause->count); });
    for (const Cause* other : of_line) {
      if (other == &first) continue;
      MergeInto(*other, first);
      first.is_cut |= other->is_cut;
      first.fatal |= other->fatal;
      folded.insert(other);
    }
    const size_t num_flags = of_line.size();
    first.facts.emplace_back("flag_items",
                             std::to_string(num_flags) + " items of " + std::get<3>(line));
    first.facts.emplace_back("flag_graphs", num_flags <= kMostCounted
                                                ? std::to_string(size_t{1} << num_flags)
                                                : "more than 1000");
  }
  std::erase_if(causes, [&](const Cause& cause) { return folded.contains(&cause); });
}

/// Records which server wrote the log of each cause.
void NoteServers(const Session& session, std::vector<Cause>& causes) {
  std::map<uint32_t, ServerEngine> engines;
  for (const ServerLine& line : session.server_lines()) engines.emplace(line.input, line.engine);
  if (engines.empty()) return;
  for (Cause& cause : causes) {
    if (cause.events.empty()) continue;
    const auto engine = engines.find(session.events()[cause.events.front()].input);
    if (engine != engines.end()) cause.server = ServerEngineName(engine->second);
  }
}

bool ComesBefore(const Cause& a, const Cause& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.where != b.where) return InOrder(a.where) < InOrder(b.where);
  if (a.culprit != b.culprit) {
    if (!a.culprit || !b.culprit) return !a.culprit;
    return std::tie(a.culprit->source, a.culprit->dim, a.culprit->guard_class) <
           std::tie(b.culprit->source, b.culprit->dim, b.culprit->guard_class);
  }
  if (a.user != b.user) return InOrder(a.user) < InOrder(b.user);
  return std::tie(a.action, a.why, a.hint, a.type, a.gb, a.message, a.display_function, a.events) <
         std::tie(b.action, b.why, b.hint, b.type, b.gb, b.message, b.display_function, b.events);
}

}  // namespace

std::vector<Cause> FoldCauses(const Session& session, const CompileHistory& history) {
  const std::vector<size_t> order = ProcessOrder(session);
  const CompileLedger& ledger = history.ledger;
  std::vector<Cause> causes = FoldRecompiles(session, order, history);
  MoveTo(causes, FoldSites(session, order, ledger));
  MoveTo(causes, FoldXla(session, order));
  MoveTo(causes, FoldEndedRegions(session));
  FoldRaisedLimits(session, ledger, causes);
  FoldEndedFrames(session, causes);
  NoteLoopsAround(session, causes);
  NoteUseOfItems(causes);
  FoldCutRanks(session, causes);
  FoldStrides(causes);
  FoldFlags(causes);
  NotePackedSequences(causes);
  NoteDeeds(session, causes);
  NoteBrokenFunctions(session, causes);
  NoteServers(session, causes);
  // These have no event of their own.
  MoveTo(causes, FoldEmptyGraphs(session, ledger));
  MoveTo(causes, FoldGuardCosts(session));
  std::sort(causes.begin(), causes.end(),
            [](const Cause& a, const Cause& b) { return ComesBefore(a, b); });
  return causes;
}

}  // namespace shapewise
