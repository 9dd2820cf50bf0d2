#include "model/session.h"

#include <concepts>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "model/fields.h"
#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("inputs are numbered in the order in which they are added") {
  Session session;
  CHECK(session.AddInput("rank0.log") == 0);
  CHECK(session.AddInput("rank1.log") == 1);
  session.input(1).lines = 7;
  REQUIRE(session.inputs().size() == 2);
  CHECK(session.inputs()[0].name == "rank0.log");
  CHECK(session.inputs()[1].lines == 7);
}

TEST_CASE("equal reasons share one id, others do not") {
  Session session;
  const auto intern = [&session](std::string_view text) {
    return session.InternReason(ParseGuardFailure(text));
  };
  const ReasonId first = intern("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 6");
  CHECK(intern("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 6") == first);
  CHECK(intern("0/1: tensor 'x' size mismatch at index 0. expected 8, actual 6") != first);
  CHECK(intern("0/0: tensor 'x' size mismatch at index 1. expected 8, actual 6") != first);
  CHECK(intern("0/0: tensor 'x' stride mismatch at index 0. expected 8, actual 6") != first);
}

TEST_CASE("a parsed reason remains complete after its text is freed") {
  Session session;
  std::string text =
      "0/1: self.width == 3   # return x * self.width  # mp/app/m.py:16 in forward (HINT: set "
      "torch._dynamo.config.allow_unspec_int_on_nn_module = True)";
  const ReasonId id = session.InternReason(ParseGuardFailure(text));
  text.assign(text.size(), '?');
  const Reason& reason = session.reason(id);
  CHECK(session.text(reason.entry) == "0/1");
  CHECK(session.text(reason.guard) == "self.width == 3");
  CHECK(reason.guard_class == GuardClass::kInt);
  CHECK(session.text(reason.source) == "self.width");
  CHECK(reason.dim == -1);
  CHECK(session.text(reason.expected) == "3");
  CHECK(reason.actual == StrId::kNone);
  CHECK(session.text(reason.user_file) == "mp/app/m.py");
  CHECK(reason.user_line == 16);
  CHECK(session.text(reason.user_function) == "forward");
  CHECK(session.text(reason.code) == "return x * self.width");
  CHECK(session.text(reason.hint) == "allow_unspec_int_on_nn_module");
}

/// Changes one of the fields that it is shown.
class ChangeField {
 public:
  explicit ChangeField(size_t number) : number_(number) {}

  template <typename Field>
  void operator()(std::string_view, Field& field) {
    if constexpr (std::same_as<Field, EventFact>) {
      std::visit([this](auto& fact) { VisitFields(*this, fact); }, field);
    } else if constexpr (HasFields<Field>) {
      VisitFields(*this, field);
    } else if (next_++ == number_) {
      has_changed_ = true;
      if constexpr (requires { field.emplace_back(); }) {
        field.emplace_back();
      } else if constexpr (requires { field.emplace(); }) {
        field.emplace();
      } else {
        field = static_cast<Field>(1);
      }
    }
  }
  bool has_changed() const { return has_changed_; }

 private:
  const size_t number_;
  size_t next_ = 0;
  bool has_changed_ = false;
};

TEST_CASE("a detail that differs in any one field is another detail") {
  Session session;
  std::vector<EventDetail> details;
  ForEachFact([&details]<typename Fact>() {
    details.push_back({.fact = Fact()});
    for (size_t number = 0;; ++number) {
      EventDetail other{.fact = Fact()};
      ChangeField change(number);
      VisitFields(change, other);
      if (!change.has_changed()) break;
      details.push_back(other);
    }
  });

  for (size_t i = 0; i < details.size(); ++i) {
    INFO("detail " << i);
    CHECK(static_cast<size_t>(session.InternDetail(details[i])) == i);
  }
  for (size_t i = 0; i < details.size(); ++i) {
    INFO("detail " << i << " again");
    CHECK(static_cast<size_t>(session.InternDetail(details[i])) == i);
    CHECK(session.detail(static_cast<DetailId>(i)) == details[i]);
  }
}

TEST_CASE("zero seconds are the same detail with either sign") {
  Session session;
  const DetailId id = session.InternDetail({.fact = CompileFact{.seconds = 0.0}});
  CHECK(session.InternDetail({.fact = CompileFact{.seconds = -0.0}}) == id);
}

TEST_CASE("references to reasons and details remain valid while others are added") {
  Session session;
  const Reason& reason = session.reason(session.InternReason(Reason()));
  const EventDetail& detail = session.detail(session.InternDetail(EventDetail()));
  for (uint32_t i = 1; i < 10'000; ++i) {
    Reason other;
    other.user_line = i;
    session.InternReason(other);
    EventDetail other_detail;
    other_detail.user_line = i;
    session.InternDetail(other_detail);
  }
  CHECK(reason == Reason());
  CHECK(detail == EventDetail());
}

TEST_CASE("sorting orders events by input and line and keeps the order of equal places") {
  Session session;
  std::mt19937 random(7);
  for (int32_t i = 0; i < 1000; ++i) {
    Event event;
    event.input = static_cast<uint32_t>(random() % 3);
    event.line = random() % 20;
    event.rank = i;  // the order in which they come
    CHECK(session.AddEvent(event) == static_cast<size_t>(i));
  }
  session.SortByPlace();
  const auto place = [](const Event& event) {
    return std::make_tuple(event.input, event.line, event.rank);
  };
  REQUIRE(session.events().size() == 1000);
  for (size_t i = 1; i < session.events().size(); ++i) {
    CHECK(place(session.events()[i - 1]) < place(session.events()[i]));
  }
}

TEST_CASE("an event leads to its detail") {
  Session session;
  Event event;
  event.detail = session.InternDetail({.fact = GraphBreakFact()});
  const size_t index = session.AddEvent(event);
  CHECK(session.detail(session.events()[index]).kind() == EventKind::kGraphBreak);
}

TEST_CASE("of a version mark only the first place is kept") {
  Session session;
  session.NoteVersionMark({.what = "bare names", .from = 207, .until = 0, .input = 0, .line = 3});
  session.NoteVersionMark({.what = "hints", .from = 208, .until = 0, .input = 0, .line = 4});
  session.NoteVersionMark({.what = "bare names", .from = 207, .until = 0, .input = 1, .line = 1});
  REQUIRE(session.version_marks().size() == 2);
  CHECK(session.version_marks()[0].line == 3);
  CHECK(session.version_marks()[1].what == "hints");
}

}  // namespace
}  // namespace shapewise
