// Puts the causes of all kinds together, in an order that only their meaning decides.

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "causes/recompile_chains.h"
#include "causes/site_causes.h"
#include "causes/xla_causes.h"
#include "shapewise/causes/cause.h"

namespace shapewise {
namespace {

// All events, rank by rank. How the lines of several ranks mixed in one input is chance and must
// not show; the lines of one rank stay in order.
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

/// "0/8_1" without its attempt.
std::string_view WithoutAttempt(std::string_view compile_id) {
  return compile_id.substr(0, compile_id.find('_'));
}

/// Tells the limits that were raised as an error (fullgraph=True, fail_on_recompile_limit_hit): the
/// exception follows the warning of the same process, and the function does not run eager. An
/// exception with an id, as traces have it, speaks of the limit with that id only.
void MarkRaisedLimits(const Session& session, std::vector<Cause>& causes) {
  // By input, rank and id: event index.
  std::map<std::tuple<uint32_t, int32_t, std::string_view>, size_t> last_raise;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    const std::string_view type = session.text(detail.type);
    const bool is_raise =
        (detail.kind == EventKind::kCompileError && type == "FailOnRecompileLimitHit") ||
        (detail.kind == EventKind::kGraphBreak && detail.fatal &&
         type.starts_with("Dynamo recompile limit exceeded"));
    if (!is_raise) continue;
    last_raise[{event.input, event.rank, WithoutAttempt(session.text(event.compile_id))}] = index;
  }
  if (last_raise.empty()) return;
  for (Cause& cause : causes) {
    for (const size_t index : cause.events) {
      const Event& event = session.events()[index];
      if (session.detail(event).kind != EventKind::kRecompileLimit) continue;
      // The exception may carry no rank, and mostly carries no id, where the warning has one.
      for (const int32_t rank : {event.rank, kNoRank}) {
        for (const std::string_view id :
             {WithoutAttempt(session.text(event.compile_id)), std::string_view()}) {
          const auto raise = last_raise.find({event.input, rank, id});
          if (raise != last_raise.end() && raise->second > index) cause.limit_raised = true;
        }
      }
    }
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

std::vector<Cause> FoldCauses(const Session& session) {
  const std::vector<size_t> order = ProcessOrder(session);
  std::vector<Cause> causes = FoldRecompiles(session, order);
  MarkRaisedLimits(session, causes);
  std::vector<Cause> sites = FoldSites(session, order);
  std::move(sites.begin(), sites.end(), std::back_inserter(causes));
  std::vector<Cause> xla = FoldXla(session, order);
  std::move(xla.begin(), xla.end(), std::back_inserter(causes));
  std::sort(causes.begin(), causes.end(),
            [](const Cause& a, const Cause& b) { return ComesBefore(a, b); });
  return causes;
}

}  // namespace shapewise
