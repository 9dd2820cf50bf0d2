#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "report/bucket_facts.h"
#include "report/html_out.h"
#include "result/number_text.h"
#include "support/catch.h"
#include "unit/report/sample_bucket_report.h"

namespace shapewise {
namespace {

using ParsedJson = nlohmann::json;

std::string Text(const BucketReport& report, const ReportOptions& options = {}) {
  return WrittenBy(*FindFormat(BucketFormats(), "text"), report, options);
}

ParsedJson JsonOf(const BucketReport& report) {
  return ParsedJson::parse(WrittenBy(*FindFormat(BucketFormats(), "json"), report));
}

bool HasControls(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

}  // namespace

TEST_CASE("a plan of buckets as text: the answer, the sizes, the alternatives") {
  CHECK(Text(SampleBucketReport()) == R"(2 buckets: 46.5 % padding (50.0 % on held-out calls)
pow2's 3 sizes have 46.5 %: same waste with 2 graphs instead of 3

recommended   buckets: a third bucket was not asked for
calls         100 calls of 4 different sizes
cost          padding only
new run       40.0 % to 52.0 % padding, expected of 100 calls (95 %)

100 calls by length (highest column 60.0 % of the calls)
  █
  █
  █
  █     ▅   ▂
  █     █   █                   ▃
  ──────┴───────────────────────┴
       16                      40

Plan: pad length to the next of 2 sizes
  bucket  calls   share  padding within
      16     80  80.0 %          39.1 %
      40     20  20.0 %          60.0 %
  compile largest first, and set torch._dynamo.config.recompile_limit = 8

More or fewer buckets
     buckets  padding  held-out  worst call  compiles
           1    182 %     190 %       4.00x         1
  >        2   46.5 %    50.0 %       2.00x         2
           3    5.6 %    12.5 %       1.25x         3

Ways to run it, best first (predicted)
                     compiles     cost
  2 buckets                 2  +46.5 %
  one dynamic graph         1  unknown  not measured
  One dynamic graph is better if less than 46.0 % slower: pass its cost with --cost or
    --dynamic-slowdown.

What Dynamo will do (predicted)
  buckets(x, 1, 16|40) + mark_static(x, 1): 2 compiles

Compared with the sizes that others ship
  ladder  sizes  in use  padding  ours, same cost  ours, as many
  pow2        7       3   46.5 %        2 buckets         +5.6 %

What to keep in mind
  - It is not known whether the model masks its padding.

To paste: shapewise buckets --emit pytorch|vllm|sglang|trtllm|hf|gaudi|json
)");
}

TEST_CASE("drawings use only ASCII on request") {
  ReportOptions options;
  options.ascii = true;
  for (const size_t dims : {size_t{1}, size_t{2}}) {
    BucketReport report = SampleBucketReport();
    report.dims = dims;
    const std::string text = Text(report, options);
    CHECK(std::ranges::all_of(text, [](char c) { return c >= 0; }));
    CHECK(text.find('+') != std::string::npos);
  }
}

TEST_CASE("a plan is colored only on request") {
  ReportOptions options;
  CHECK_FALSE(HasControls(Text(SampleBucketReport(), options)));
  options.color = true;
  CHECK(HasControls(Text(SampleBucketReport(), options)));
}

TEST_CASE("a long plan is a list of sizes without --all") {
  std::vector<Sizes> sizes;
  for (int64_t size = 8; size <= 512; size += 8) sizes.push_back({size, 1, 1});
  BucketReport report = PlanOf(BucketMode::kBuckets, 1, sizes);
  ReportOptions options;
  const std::string text = Text(report, options);
  CHECK(text.find("8, 16, 24, ") != std::string::npos);
  CHECK(text.find("--all") != std::string::npos);
  options.all = true;
  CHECK(Text(report, options).find("--all") == std::string::npos);
  for (const std::string& printed : {text, Text(report, options)}) {
    size_t column = 0;
    for (const char c : printed) {
      column = c == '\n' ? 0 : column + 1;
      REQUIRE(column <= 100);
    }
  }
}

TEST_CASE("the headline says what is recommended") {
  BucketReport report = SampleBucketReport();
  CHECK(HeadlineText(report) == "2 buckets: 46.5 % padding (50.0 % on held-out calls)");
  CHECK(LadderHeadline(report) ==
        "pow2's 3 sizes have 46.5 %: same waste with 2 graphs instead of 3");
  report.ladders[0].same_waste_buckets = 3;
  CHECK(LadderHeadline(report).empty());
  report.mode = BucketMode::kMixed;
  report.padding.holdout.reset();
  CHECK(HeadlineText(report) == "2 buckets and a dynamic graph for the rest: 46.5 % padding");
  report.served = {{ServingKind::kBucket, 1, 16}, {ServingKind::kDynamic, 17, 40}};
  CHECK(HeadlineText(report) == "1 bucket and a dynamic graph for the rest: 46.5 % padding");
  report.mode = BucketMode::kDynamic;
  CHECK(HeadlineText(report) ==
        "One dynamic graph for all sizes; 2 buckets would have 46.5 % padding");
  report.boundaries.clear();
  CHECK(HeadlineText(report) == "One dynamic graph for all sizes");
  report.mode = BucketMode::kStatic;
  CHECK(HeadlineText(report) == "No bucket");
  report.boundaries = {{40, 1, 1}};
  CHECK(HeadlineText(report) == "All calls padded to 40: 46.5 % padding");
}

TEST_CASE("numbers of a plan in words") {
  CHECK(PercentText(0) == "0.0 %");
  CHECK(PercentText(0.0033) == "0.33 %");
  CHECK(PercentText(0.0984) == "9.8 %");
  CHECK(PercentText(4.124) == "412 %");
  CHECK(PercentText(std::numeric_limits<double>::quiet_NaN()) == "unknown");
  CHECK(PercentText(std::optional<double>()).empty());
  CHECK(FactorText(1.254) == "1.25x");
  CHECK(FactorText(12.34) == "12.3x");
  CHECK(FactorText(7028.2) == "7028x");
  CHECK(DurationText(3.2e-6) == "3.2 us");
  CHECK(DurationText(0.0102) == "10.2 ms");
  CHECK(DurationText(3601) == "60 min 1 s");
  CHECK(DurationText(3 * 3600) == "3.0 h");
  CHECK(DurationText(4.5 * 24 * 3600) == "4.5 days");
  CHECK(DurationText(std::numeric_limits<double>::infinity()) == "unknown");
  CHECK(Coordinate(1.5) == "1.5");
  CHECK(Coordinate(-0.001) == "0");
  CHECK(Coordinate(1e9 / 3) == "333333333.33");
}

TEST_CASE("padding within a bucket is reported if its calls are known") {
  BucketReport report = SampleBucketReport();
  std::vector<BucketUse> uses = BucketUses(report);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].calls == 80);
  CHECK(*uses[0].padding == Approx(1280.0 / 920 - 1));
  CHECK(*uses[1].padding == Approx(800.0 / 500 - 1));
  // The planner disagrees, as it may with several dims: then it is not printed.
  report.calls_a_bucket = {79, 21};
  uses = BucketUses(report);
  CHECK(uses[0].calls == 79);
  CHECK_FALSE(uses[0].padding);
  report.calls_a_bucket.clear();
  CHECK(BucketUses(report)[1].calls == 20);
}

TEST_CASE("in two dims, a call uses the smallest bucket that fits") {
  BucketReport report = PlanOf(BucketMode::kBuckets, 2, {{2, 64, 1}, {4, 16, 1}, {4, 64, 1}});
  AddCalls(report, {2, 10, 1}, 3);  // 4 x 16 has fewer elements than 2 x 64
  AddCalls(report, {2, 17, 1}, 5);
  AddCalls(report, {3, 17, 1}, 7);
  AddCalls(report, {5, 5, 1}, 11);  // none holds it
  report.histogram.dims = 2;
  report.calls_a_bucket = {5, 3, 7};
  const std::vector<BucketUse> uses = BucketUses(report);
  CHECK(*uses[0].padding == Approx(128.0 / 34 - 1));
  CHECK(*uses[1].padding == Approx(64.0 / 20 - 1));
  CHECK(*uses[2].padding == Approx(256.0 / 51 - 1));
}

TEST_CASE("an axis is logarithmic for sizes far above the median, and loses no call") {
  for (const int64_t largest : {int64_t{60}, int64_t{100000}}) {
    BucketReport report;
    for (int64_t size = 1; size <= 20; ++size) AddCalls(report, {size, 1, 1}, 5);
    AddCalls(report, {largest, 1, 1}, 1);
    for (const size_t columns : {size_t{1}, size_t{7}, size_t{96}}) {
      const SizeAxis axis(report, 0, columns);
      CHECK(axis.is_logarithmic() == (largest == 100000));
      double sum = 0;
      for (const double share : CallShares(report.histogram, 0, axis)) sum += share;
      CHECK(sum == Approx(1));
      CHECK(axis.Column(largest) == axis.columns() - 1);
      CHECK(axis.Begin(1) == 0);
    }
  }
}

TEST_CASE("a plan of buckets as JSON keeps the contract") {
  const BucketReport report = SampleBucketReport();
  const ParsedJson json = JsonOf(report);
  CHECK(json["schema"] == "shapewise.buckets/1");
  CHECK(json["boundaries"] == ParsedJson({16, 40}));
  CHECK(json["padding"]["train"].get<double>() == report.padding.train);  // to the last digit
  CHECK(json["padding"]["holdout"] == 0.5);
  CHECK(json["censored"] == false);
  CHECK(json["recommend"]["mode"] == "buckets");
  CHECK(json["recommend"]["why"] == report.why);
  REQUIRE(json["frontier"].size() == 3);
  const ParsedJson& point = json["frontier"][2];
  CHECK(point["buckets"] == 3);
  CHECK(point["boundaries"] == ParsedJson({10, 20, 40}));
  CHECK(point["padding"]["train"].get<double>() == report.frontier[2].padding.train);
  CHECK(point["compiles"] == 3);
  CHECK(point["expected_seconds"].is_null());
  CHECK(point["lower_bound"].is_null());
  CHECK(json["chosen"] == 1);
  CHECK(json["buckets"][0]["calls"] == 80);
  CHECK(json["validation"].is_null());
  for (const char* consumer : {"pytorch", "vllm", "sglang", "trtllm", "huggingface", "gaudi"}) {
    CHECK(json["snippets"][consumer].get<std::string>().back() == '\n');
  }
  CHECK(json["snippets"]["vllm"].get<std::string>().find("[16, 40]") != std::string::npos);
}

TEST_CASE("sizes of more dims are lists in JSON") {
  const ParsedJson json = JsonOf(PlanOf(BucketMode::kBuckets, 2, {{4, 128, 1}, {8, 256, 1}}));
  CHECK(json["boundaries"] == ParsedJson({{4, 128}, {8, 256}}));
  CHECK(json["padding"]["holdout"].is_null());
  CHECK(json["chosen"].is_null());
}

TEST_CASE("every emitter names its source") {
  for (const BucketSnippet& snippet : BucketSnippets(SampleBucketReport())) {
    CHECK_FALSE(snippet.source.empty());
    CHECK(snippet.text.find("Form of this text: ") != std::string::npos);
  }
  CHECK(FindFormat(BucketEmitters(), "hf") != nullptr);
  CHECK(FindFormat(BucketEmitters(), "svg") == nullptr);
  CHECK(FindFormat(BucketFormats(), "hf") == nullptr);
}

TEST_CASE(
    "the headline counts held-out calls that do not fit, and has no padding that is unknown") {
  BucketReport report = SampleBucketReport();
  HoldoutCheck& check = report.holdout.emplace();
  check.held_calls = 100;
  check.out_of_range = 1;
  CHECK(HeadlineText(report) == "2 buckets: 46.5 % padding (50.0 % on held-out calls)");
  check.out_of_range = 2;
  CHECK(HeadlineText(report) == "2 buckets: 46.5 % padding (2 of 100 held-out calls do not fit)");
  report.least_padding = 1.05;
  CHECK(HeadlineText(report) == "2 buckets: at least 105 % padding");
  report.is_censored = true;
  CHECK(HeadlineText(report) == "2 buckets: padding unknown, because only cache misses are known");
}

TEST_CASE("long lists of sizes in policies are shortened without --all") {
  BucketReport report = SampleBucketReport();
  report.simulations = {
      {"buckets(x, 1, 8|16|24|32|40|48|56) + buckets(y, 0, 1|2|3|4|5|6) + limit 64", 7, 0, {}}};
  ReportOptions options;
  CHECK(Text(report, options)
            .find("  buckets(x, 1, 8|16|...|48|56) + buckets(y, 0, 1|2|3|4|5|6) + "
                  "limit 64: 7 compiles\n") != std::string::npos);
  options.all = true;
  CHECK(Text(report, options).find("8|16|24|32|40|48|56") != std::string::npos);
}

TEST_CASE("a mixed plan shows what serves which sizes, and pads to its own buckets") {
  BucketReport report = SampleBucketReport();
  report.mode = BucketMode::kMixed;
  report.served = {{ServingKind::kBucket, 1, 12}, {ServingKind::kAlignedDynamic, 13, 40}};
  const std::string text = Text(report);
  CHECK(text.find("   1-12  bucket 12           60  20.0 %\n"
                  "  13-40  aligned-dynamic     40") != std::string::npos);
  const std::string module = WrittenBy(*FindFormat(BucketEmitters(), "pytorch"), report);
  CHECK(module.find("BUCKETS: tuple[int, ...] = (\n    12,\n)") != std::string::npos);
  CHECK(module.find("(13, 40, 8),") != std::string::npos);
  CHECK(JsonOf(report)["served"][1]["kind"] == "aligned-dynamic");
}

TEST_CASE("a range is marked only if the prediction allows it") {
  BucketReport report = SampleBucketReport();
  report.mode = BucketMode::kDynamic;
  const auto has_range = [&] {
    const std::string text = WrittenBy(*FindFormat(BucketEmitters(), "pytorch"), report);
    CHECK(text.find("mark_dynamic(tensor, dim") != std::string::npos);
    return text.find("max=MAX_SIZE") != std::string::npos;
  };
  CHECK_FALSE(has_range());
  report.simulations = {{"mark_dynamic(x, 1, min=2, max=40)", 1, 0, {}}};
  CHECK(has_range());
  report.simulations[0].traps = {"raises where the size has another guard"};
  CHECK_FALSE(has_range());
}

TEST_CASE("the output is well-formed for any report") {
  std::mt19937_64 random(20260);
  const BucketReport hostile = HostileBucketReport();
  const auto number = [&]() -> double {
    constexpr double kNumbers[] = {0, -1, 0.5, 3, 1e300, -1e300, 1e-300};
    const size_t at = random() % 9;
    if (at == 7) return std::numeric_limits<double>::quiet_NaN();
    return at == 8 ? std::numeric_limits<double>::infinity() : kNumbers[at];
  };
  const auto size = [&]() -> int64_t {
    const int64_t sizes[] = {0, 1, 7, 100, 4096, kMaxSize};
    return sizes[random() % 6];
  };
  for (int round = 0; round < 300; ++round) {
    BucketReport report = random() % 3 == 0 ? BucketReport() : hostile;
    report.dims = 1 + random() % 3;
    report.mode = static_cast<BucketMode>(random() % 4);
    report.histogram = {};
    for (size_t i = random() % 4; i > 0; --i) {
      AddCalls(report, {size(), size(), size()}, random() % 5);
    }
    report.boundaries.clear();
    for (size_t i = random() % 4; i > 0; --i) {
      report.boundaries.push_back({size(), size(), size()});
    }
    if (random() % 2 == 0) report.calls_a_bucket.resize(report.boundaries.size(), random());
    report.padding = {number(), number()};
    report.padding_95 = report.cost_overhead_95 = ShareInterval{number(), number()};
    report.dynamic_slowdown = number();
    for (BucketPoint& point : report.frontier) {
      point.padding = {number(), number()};
      point.worst_call = number();
      point.expected_seconds = number();
      point.lower_bound = number();
      point.buckets = random() % 3 == 0 ? random() : random() % 100;
    }
    report.chosen = random() % 5;
    for (LadderComparison& ladder : report.ladders) {
      ladder.padding.train = number();
      ladder.used = random() % 3 == 0 ? random() : random() % 100;
    }
    report.served = {{static_cast<ServingKind>(random() % 6), size(), size()}};
    report.recompile_limit = random() % 1000;
    ReportOptions options;
    options.width = static_cast<uint32_t>(random() % 130);
    options.all = random() % 2 == 0;
    options.ascii = random() % 2 == 0;
    CHECK_FALSE(HasControls(Text(report, options)));
    CHECK(JsonOf(report).is_object());
    const std::string svg = WrittenBy(*FindFormat(BucketFormats(), "svg"), report);
    CHECK_FALSE(HasControls(svg));
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(svg.ends_with("</svg>\n"));
    for (const BucketFormat& emitter : BucketEmitters()) {
      const std::string text = WrittenBy(emitter, report);
      CHECK_FALSE(HasControls(text));
      CHECK(text.ends_with("\n"));
    }
  }
}

}  // namespace shapewise
