// Texts of constraint violations: raised again by servers, wrapped, and of other programs.

#include <string>

#include "ingest/reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// A log as read.
class Text {
 public:
  explicit Text(std::string_view text) { ReadInputFromChunks("run.log", {text}, session_); }

  size_t size() const { return session_.events().size(); }
  const EventDetail& detail(size_t index) const {
    return session_.detail(session_.events().at(index));
  }
  std::string text(StrId id) const { return std::string(session_.text(id)); }

 private:
  Session session_;
};

TEST_CASE("a server's error contains the violation of its worker", "[ingest]") {
  const std::string violation =
      "Constraints violated (L['x'].size()[0])! For more information, run with "
      "TORCH_LOGS=\"+dynamic\".\n"
      "  - Not all values of RelaxedUnspecConstraint(L['x'].size()[0]) are valid because "
      "L['x'].size()[0] was inferred to be a constant (2048).";
  const std::string engine = "RuntimeError: Worker failed with error '" + violation +
                             "', please check the stack trace above for the root cause\n";
  for (const std::string& text :
       {engine, engine + engine,
        "[rank1]: torch.fx.experimental.symbolic_shapes.ConstraintViolationError: " + violation +
            "\n" + engine}) {
    INFO(text);
    const Text log(text);
    REQUIRE(log.size() == 1);
    REQUIRE(log.detail(0).kind() == EventKind::kConstraintViolation);
    CHECK(log.text(log.detail(0).As<ConstraintFact>()->source) == "L['x']");
    CHECK(log.detail(0).As<ConstraintFact>()->dim == 0);
  }
  CHECK(Text("RuntimeError: Worker failed with error 'Constraints violated'\n").size() == 0);
}

TEST_CASE("other programs have constraints, too", "[ingest]") {
  for (const std::string text :
       {"INFO solver: Constraints violated (DISABLED)\n",
        "torch.compile says constraints violated (L['x'].size()[0])! if a dim is marked\n",
        "export fails with 'Constraints violated (batch)!', which names no row\n",
        "a Worker failed with error 'Constraints unknown (L['x'].size()[0])!'\n"}) {
    INFO(text);
    CHECK(Text(text).size() == 0);
  }
  CHECK(Text("Constraints violated (batch)!\n").size() == 1);
  CHECK(Text("Constraints violated (L['x'].size()[0])\n").size() == 1);
}

TEST_CASE("the names of a constraint violation may be on the line below", "[ingest]") {
  for (const std::string text :
       {"torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated\n"
        "  (L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated\n"
        "(L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "torch._dynamo.exc.UserError: Constraints violated (\n"
        "L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "RuntimeError: Worker failed with error 'Constraints violated\n"
        "(L['x'].size()[1])'\nRuntimeError: Engine core initialization failed.\n"}) {
    INFO(text);
    const Text log(text);
    REQUIRE(log.size() == 1);
    const auto* const violation = log.detail(0).As<ConstraintFact>();
    REQUIRE(violation != nullptr);
    CHECK(log.text(violation->source) == "L['x']");
    CHECK(violation->dim == 1);
    CHECK(log.text(violation->message).starts_with("Constraints violated (L['x'].size()[1])"));
  }
}

TEST_CASE("the names of a constraint violation may go on below", "[ingest]") {
  const Text log(
      "ConstraintViolationError: Constraints violated (L['x'].size()[0],\n"
      "  L['y'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n");
  CHECK(log.size() == 2);
  CHECK(log.text(log.detail(0).message()) ==
        "Constraints violated (L['x'].size()[0], L['y'].size()[1])! For more information, run with "
        "TORCH_LOGS=\"+dynamic\".");
}

}  // namespace
}  // namespace shapewise
