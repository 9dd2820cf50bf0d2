#include "rules/proposal.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("a message may propose what to do", "[rules]") {
  CHECK(ProposalOf("FlexAttention does not support backward on CPU. Please set the input "
                   "requires_grad to False or use another device.") ==
        "set the input requires_grad to False or use another device");
  CHECK(ProposalOf("Encountered 3 dynamic, aliased/mutated inputs, consider setting "
                   "dynamic=False") == "consider setting dynamic=False");
  CHECK(ProposalOf("Trying to backward through mylib::op but no autograd formula was registered. "
                   "Please use register_autograd to add one.") ==
        "use register_autograd to add one");
  CHECK(ProposalOf("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first") ==
        "use Tensor.to_dense() first");
  CHECK(ProposalOf("both knobs are set; please drop FORCE_USE_FLEX_ATTENTION and only specify the "
                   "desired BACKEND.") ==
        "drop FORCE_USE_FLEX_ATTENTION and only specify the desired BACKEND");
  CHECK(ProposalOf("got ValueError('Use the `~` operator instead.')") == "");
  CHECK(ProposalOf("negation is not supported. Use the `~` operator instead.')") ==
        "use the `~` operator instead");
}

TEST_CASE("a message that asks for a report proposes nothing", "[rules]") {
  CHECK(ProposalOf("Unreachable. Please file an issue on GitHub.").empty());
  CHECK(ProposalOf("NYI. If you need this feature, please comment on issue 83124").empty());
  CHECK(ProposalOf("cannot use a view here").empty());
  CHECK(ProposalOf("the function is set by the user").empty());
  CHECK(ProposalOf("Please refer to https://pytorch.org for an example").empty());
  CHECK(ProposalOf("").empty());
  Cause cause;
  cause.type = "InternalTorchDynamoError";
  cause.message = "AssertionError: Use SourcelessBuilder.create()";
  CHECK(ProposalOf(cause).empty());
}

}  // namespace
}  // namespace shapewise
