// Operators whose rules are about more than one dim: each where it keeps padding out, and where
// not.

#include "support/catch.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

constexpr const char* kX = R"(x: "f32[2, s0, 16]")";
constexpr const char* kRows = R"(x: "f32[s0, 16]", h: "f32[s0, 8]", wi: "f32[32, 16]")";

TEST_CASE("a step of a recurrent network takes each row by itself", "[padding]") {
  CHECK(PaddingOf(kRows, R"(
      out: "f32[s0, 8]" = torch.gru_cell(x, h, wi, wi, None, None))",
                  "out") == "safe");
  CHECK(PaddingOf(kRows, R"(
      both = torch.ops.aten.lstm_cell.default(x, [h, h], wi, wi)
      out: "f32[s0, 8]" = both[1])",
                  "out") == "safe");
  CHECK(PaddingOf(R"(x: "f32[4, s0]", h: "f32[4, 8]", w: "f32[24, s0]")", R"(
      out: "f32[4, 8]" = torch.gru_cell(x, h, w, h, None, None))",
                  "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a recurrent network is followed over the batch only", "[padding]") {
  const auto graph = [](const std::string& batch_first) {
    return R"(
      all = torch.ops.aten.lstm.input(x, [h, h], [w, w], False, 1, 0.0, False, False, )" +
           batch_first + R"()
      out: "f32[s0, 5, 8]" = all[0])";
  };
  constexpr const char* kInputs = R"(x: "f32[s0, 5, 16]", h: "f32[1, s0, 8]", w: "f32[32, 16]")";
  CHECK(PaddingOf(kInputs, graph("True"), "out") == "safe");
  // The same with the first dim for time.
  CHECK(PaddingOf(R"(x: "f32[s0, 5, 16]", h: "f32[1, 5, 8]", w: "f32[32, 16]")", graph("False"),
                  "out")
            .starts_with("unknown\n"));
}

TEST_CASE("glu halves a dim that must not be padded", "[padding]") {
  CHECK(PaddingOf(kX, R"(out: "f32[2, s0, 8]" = torch.nn.functional.glu(x, -1))", "out") == "safe");
  CHECK(PaddingOf(R"(x: "f32[2, 2*s0, 16]")",
                  R"(out: "f32[2, s0, 16]" = torch.nn.functional.glu(x, 1))",
                  "out") == "unsafe\nout: glu halves dim 1 (2*s0), which is padded");
  // 0 * sigmoid(0) is 0.
  CHECK(PaddingOf(kX, R"(
      half: "f32[2, s0, 8]" = torch.ops.aten.glu.default(x)
      out: "f32[2, 8]" = half.sum(1))",
                  "out")
            .starts_with("masked\nx: 0 at padded positions\n"));
}

TEST_CASE("differences of neighbours end before padding, their sum does not", "[padding]") {
  CHECK(PaddingOf(kX, R"(out: "f32[2, s0 - 1, 16]" = x.diff(dim = 1))", "out") == "safe");
  CHECK(PaddingOf(kX, R"(out: "f32[2, s0 - 2, 16]" = torch.diff(x, 2, 1))", "out") == "safe");
  CHECK(PaddingOf(kX, R"(
      steps: "f32[2, s0 - 1, 16]" = x.diff(dim = 1)
      out: "f32[2, 16]" = steps.sum(1))",
                  "out")
            .starts_with("unsafe\n"));
  // Appended elements come after the padding.
  CHECK(PaddingOf(kX, R"(out: "f32[2, s0, 16]" = torch.diff(x, 1, 1, None, x))", "out")
            .starts_with("unknown\n"));
}

TEST_CASE("distances of rows are right, those over padded features are not", "[padding]") {
  CHECK(PaddingOf(kX, R"(out: "f32[2, s0, s0]" = torch.cdist(x, x))", "out") == "safe");
  CHECK(PaddingOf(R"(x: "f32[2, 16, s0]")", R"(out: "f32[2, 16, 16]" = torch.cdist(x, x))",
                  "out") == "unsafe\nout: cdist sums over dim 2 (s0), which is padded");
}

TEST_CASE("pixels of padded rows stay behind those of real rows", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, 16, s0, 6]")",
                  R"(out: "f32[2, 4, 2*s0, 12]" = torch.pixel_shuffle(x, 2))", "out") == "safe");
  CHECK(PaddingOf(R"(x: "f32[2, 4*s0, 6, 6]")",
                  R"(out: "f32[2, s0, 12, 12]" = torch.pixel_shuffle(x, 2))", "out")
            .starts_with("unsafe\n"));
}

TEST_CASE("bags take what stands in their row", "[padding]") {
  constexpr const char* kTable = R"(ids: "i64[s0, 5]", w: "f32[40, 16]")";
  const auto graph = [](const std::string& left_out) {
    return R"(out: "f32[s0, 16]" = torch.nn.functional.embedding_bag(ids, w, None, None, 2.0, False, 'sum', False, None, False, )" +
           left_out + ")";
  };
  CHECK(PaddingOf(kTable, graph("None"), "out").starts_with("safe\n"));
  std::string summed = graph("None");
  summed.replace(summed.find("s0"), 2, "2");
  constexpr const char* kLong = R"(ids: "i64[2, s0]", w: "f32[40, 16]")";
  CHECK(PaddingOf(kLong, summed, "out").starts_with("unsafe\n"));
  // An index that bags leave out does no harm.
  std::string skipped = graph("0");
  skipped.replace(skipped.find("s0"), 2, "2");
  CHECK(PaddingOf(kLong, skipped, "out").starts_with("masked\nids: 0 at padded positions\n"));
}

TEST_CASE("bags of a flat list are followed where all have the same length", "[padding]") {
  const auto graph = [](const std::string& offsets) {
    return R"~(
      flat: "i64[5*s0]" = torch.ops.aten.reshape.default(ids, [-1])
      starts: "i64[s0]" = torch.ops.aten.arange.start_step()~" +
           offsets + R"~()
      bags = torch.ops.aten.embedding_bag.padding_idx(w, flat, starts, False, 0, False, None, False, None)
      out: "f32[s0, 16]" = bags[0])~";
  };
  constexpr const char* kTable =
      R"py(s0: "Sym(s0)", n: "Sym(5*s0)", k: "Sym(s0)", ids: "i64[s0, 5]", w: "f32[40, 16]")py";
  CHECK(PaddingOf(kTable, graph("0, n, 5"), "out").starts_with("safe\n"));
  // Bags of one index, and the rest for the last.
  CHECK(PaddingOf(kTable, graph("0, k, 1"), "out").starts_with("unknown\n"));
  // The last bag takes all that is left, padding as well.
  CHECK(PaddingOf(R"(ids: "i64[s0]", starts: "i64[3]", w: "f32[40, 16]")", R"(
      out: "f32[3, 16]" = torch.nn.functional.embedding_bag(ids, w, starts))",
                  "out") == "unsafe\nout: the last bag takes padded positions of dim 0 (s0)");
}

TEST_CASE("parts of a padded dim are right where they begin at fixed positions", "[padding]") {
  CHECK(PaddingOf(kX, R"(
      parts = x.split(3, dim = 1)
      out: "f32[2, 3, 16]" = parts[1])",
                  "out") == "safe");
  CHECK(PaddingOf(kX, R"(
      parts = torch.ops.aten.split_with_sizes.default(x, [2, s0 - 2], 1)
      rest: "f32[2, s0 - 2, 16]" = parts[1]
      out: "f32[2, 16]" = rest.sum(1))",
                  "out")
            .starts_with("masked\nx: 0 at padded positions\n"));
  CHECK(PaddingOf(kX, R"(
      parts = torch.tensor_split(x, (2,), dim = 1)
      out: "f32[2, s0 - 2, 16]" = parts[1])",
                  "out") == "safe");
  CHECK(PaddingOf(kX, R"(
      parts = x.chunk(2, dim = 1)
      first: "f32[2, ((s0 + 1)//2), 16]" = parts[0])",
                  "first") == "safe");
  // The end of the first part moves: what it sums is not what it was.
  CHECK(PaddingOf(kX, R"(
      parts = x.chunk(2, dim = 1)
      first: "f32[2, ((s0 + 1)//2), 16]" = parts[0]
      out: "f32[2, 16]" = first.sum(1))",
                  "out")
            .starts_with("unsafe\n"));
  CHECK(PaddingOf(kX, R"(
      parts = x.chunk(2, dim = 1)
      second: "f32[2, s0 - ((s0 + 1)//2), 16]" = parts[1])",
                  "second")
            .starts_with("unknown\n"));
  // Joined in another order than they stood, or along another dim, is not followed either.
  CHECK(PaddingOf(kX, R"(
      parts = x.chunk(2, dim = 1)
      out: "f32[2, (s0//2), 32]" = torch.cat(parts, 2))",
                  "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a product is not changed by 1", "[padding]") {
  CHECK(PaddingOf(kX, R"(out: "f32[2, 16]" = x.prod(1))", "out") ==
        "masked\nx: 1 at padded positions\n"
        "out: needed here: prod over dim 1 (s0), which is padded");
}

TEST_CASE("a loss of equal numbers is 0 in a sum, and still counts in a mean", "[padding]") {
  constexpr const char* kPairs = R"(x: "f32[2, s0]", y: "f32[2, s0]", mask: "b8[2, s0]")";
  const auto graph = [](const std::string& name, const std::string& reduction) {
    return R"(
      a: "f32[2, s0]" = x * mask
      b: "f32[2, s0]" = y * mask
      out: "f32[]" = torch.nn.functional.)" +
           name + "(a, b, reduction = '" + reduction + "')";
  };
  for (const char* name : {"l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss"}) {
    CHECK(PaddingOf(kPairs, graph(name, "sum"), "out")
              .starts_with("masked\nmask: False at padded positions\n"));
    CHECK(PaddingOf(kPairs, graph(name, "mean"), "out").starts_with("unsafe\n"));
  }
  // log(2) for a logit of 0.
  CHECK(PaddingOf(kPairs, graph("binary_cross_entropy_with_logits", "sum"), "out")
            .starts_with("unsafe\n"));
}

TEST_CASE("losses of single elements may be masked afterwards, if they are finite", "[padding]") {
  constexpr const char* kPairs = R"(x: "f32[2, s0]", y: "f32[2, s0]", mask: "b8[2, s0]")";
  const auto graph = [](const std::string& name) {
    return R"(
      each: "f32[2, s0]" = torch.ops.aten.)" +
           name + R"(
      kept: "f32[2, s0]" = each * mask
      out: "f32[]" = kept.sum())";
  };
  const char* const masked = "masked\nmask: False at padded positions\n";
  CHECK(PaddingOf(kPairs, graph("binary_cross_entropy_with_logits.default(x, y, None, None, 0)"),
                  "out")
            .starts_with(masked));
  CHECK(PaddingOf(kPairs, graph("smooth_l1_loss.default(x, y, 0)"), "out").starts_with(masked));
  // Not defined outside of 0 to 1: what it makes of padding is not known.
  CHECK(PaddingOf(kPairs, graph("binary_cross_entropy.default(x, y, None, 0)"), "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a mean over the batch divides by its padded size", "[padding]") {
  constexpr const char* kGraph = R"(
      target: "f32[s0, 9]" = y.softmax(-1)
      kept: "f32[s0, 9]" = target * mask
      out: "f32[]" = torch.nn.functional.kl_div(x, kept, reduction = 'batchmean'))";
  CHECK(PaddingOf(R"(x: "f32[s0, 9]", y: "f32[s0, 9]", mask: "b8[s0, 1]")", kGraph, "out")
            .starts_with("unsafe\n"));
  std::string sum = kGraph;
  sum.replace(sum.find("batchmean"), 9, "sum");
  CHECK(PaddingOf(R"(x: "f32[s0, 9]", y: "f32[s0, 9]", mask: "b8[s0, 1]")", sum, "out")
            .starts_with("masked\nmask: False at padded positions\n"));
}

TEST_CASE("windows of a transposed convolution may reach into the real result", "[padding]") {
  const auto graph = [](const std::string& size, const std::string& rest) {
    return "out: \"f32[2, 8, " + size + "]\" = torch.conv_transpose1d(x, w, None, " + rest + ")";
  };
  constexpr const char* kShort = R"(x: "f32[2, 16, s0]", w: "f32[16, 8, 2]")";
  constexpr const char* kLong = R"(x: "f32[2, 16, s0]", w: "f32[16, 8, 4]")";
  CHECK(PaddingOf(kShort, graph("2*s0", "(2,)"), "out") == "safe");
  CHECK(PaddingOf(kLong, graph("2*s0 + 2", "(2,)"), "out")
            .starts_with("masked\nx: 0 at padded positions\n"));
  // Cut off by as many positions as the windows overlap.
  CHECK(PaddingOf(kLong, graph("2*s0 - 2", "(2,), (2,)"), "out") == "safe");
}

TEST_CASE("nearest neighbours with a scale do not see the end", "[padding]") {
  constexpr const char* kChannels = R"(x: "f32[2, 16, s0]")";
  const auto graph = [](const std::string& how) {
    return "out: \"f32[2, 16, 2*s0]\" = torch.nn.functional.interpolate(x, " + how + ")";
  };
  CHECK(PaddingOf(kChannels, graph("scale_factor = 2"), "out") == "safe");
  CHECK(PaddingOf(kChannels, graph("scale_factor = 2, mode = 'linear'"), "out")
            .starts_with("unknown\n"));
  CHECK(PaddingOf(kChannels, graph("scale_factor = 2, recompute_scale_factor = True"), "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a write that returns its operand changes it under all its names", "[padding]") {
  CHECK(PaddingOf(kX, R"(
      rows: "f32[2, s0, 16]" = x.clone()
      once: "f32[2, s0, 16]" = rows.add_(1.0)
      twice: "f32[2, s0, 16]" = once.mul_(2.0)
      out: "f32[2, s0, 16]" = rows.relu_())",
                  "out") == "safe");
  CHECK(PaddingOf(kX, R"(
      rows: "f32[2, s0, 16]" = x.clone()
      mean: "f32[2, 1, 16]" = x.mean(1, keepdim = True)
      once: "f32[2, s0, 16]" = rows.add_(1.0)
      twice: "f32[2, s0, 16]" = once.mul_(mean)
      out: "f32[2, s0, 16]" = rows * 2)",
                  "out")
            .starts_with("unsafe\nmean: "));
}

TEST_CASE("a part that is written over stands where it stood", "[padding]") {
  const auto graph = [](const std::string& index, const std::string& value) {
    return R"(
      rows: "f32[2, s0, 16]" = x.clone()
      rows[)" +
           index + "] = " + value + ";  setitem = rows;  setitem = None\n" +
           R"(out: "f32[2, s0, 16]" = rows * 2)";
  };
  CHECK(PaddingOf(kX, graph("(Ellipsis, slice(0, 4, None))", "1.0"), "out") == "safe");
  CHECK(PaddingOf(kX, graph("(slice(None, None, None), 0)", "0.0"), "out") == "safe");
  CHECK(
      PaddingOf(kX, graph("(slice(None, None, None), -1)", "0.0"), "out").starts_with("unknown\n"));
  CHECK(PaddingOf(kX, graph("(slice(None, None, None), slice(None, -1, None))", "0.0"), "out")
            .starts_with("unknown\n"));
  // Elements at padded positions of x get into real ones.
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", mask: "b8[2, s0]")",
                  R"(
      rows: "f32[2, s0, 16]" = x.clone()
      rows[mask] = 0.0;  setitem = rows;  setitem = None
      out: "f32[2, 16]" = rows.sum(1))",
                  "out")
            .starts_with("masked\nmask: True at padded positions\n"));
}

TEST_CASE("sizes may be given as a whole", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", mask: "b8[2, s0, 1]")", R"(
      size = x.size()
      wide: "b8[2, s0, 16]" = mask.expand(size)
      out: "f32[2, s0, 16]" = x * wide)",
                  "out") == "safe");
  CHECK(PaddingOf(R"py(s0: "Sym(s0)", x: "f32[2, s0, 16]")py", R"(
      size = torch.Size([s0, 16])
      out: "f32[2, s0, 16]" = torch.nn.functional.layer_norm(x, size))",
                  "out")
            .starts_with("unsafe\n"));
}

TEST_CASE("an attribute that is a tensor is followed", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", w: "f32[2, 16, 4]")", R"(
      turned: "f32[2, 16, s0]" = x.mT
      out: "f32[2, 16]" = turned.sum(2))",
                  "out")
            .starts_with("masked\nx: 0 at padded positions\n"));
}

TEST_CASE("a symbol that must equal another is not blamed", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0]", y: "f32[2, s1]")", R"(out: "f32[2, s0]" = x * y)", "out") ==
        "unknown\nout: sizes that must be equal have different symbols: s0 is padded, the other is "
        "not");
  CHECK(PaddingOf(R"(ids: "i64[2, s0]", x: "f32[2, s1]", zero: "f32[2, 9]")", R"(
      out: "f32[2, 9]" = zero.scatter_add(1, ids, x))",
                  "out")
            .starts_with("unknown\nout: sizes that must be equal have different symbols: s0"));
}

}  // namespace
}  // namespace shapewise
