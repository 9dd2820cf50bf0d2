#include "redact/redactor.h"

#include <algorithm>
#include <string>
#include <vector>

#include "redact/redact.h"
#include "support/catch.h"
#include "support/random.h"

namespace shapewise {
namespace {

Redactor Keyed(const std::string& key) { return Redactor({key, {}}); }

TEST_CASE("names become tokens; words of Python, guards and torch are kept", "[redact]") {
  Redactor redactor({"", {}});
  const auto expression = [&](std::string_view text) {
    return redactor.Rewrite(TextKind::kExpression, text);
  };
  CHECK(expression("L['self'].encoder.weight") == "L['self'].name1.name2");
  CHECK(expression("L['encoder'].size()[0] == 8") == "L['name1'].size()[0] == 8");
  CHECK(expression("2 <= L['x'].size()[1] <= s77") == "2 <= L['name3'].size()[1] <= s77");
  CHECK(expression("___check_type_id(L['x'], 94)") == "___check_type_id(L['name3'], 94)");
  CHECK(expression("<class 'torch.nn.modules.linear.Linear'>") ==
        "<class 'torch.nn.modules.linear.Linear'>");
  CHECK(expression("<class 'moe.gates.Gate'>") == "<class 'name4.name5.name6'>");
  CHECK(expression("L['mode'] == 'train'") == "L['name7'] == 'name8'");
  CHECK(expression("torch_dynamo_resume_in_train_at_12_3") ==
        "torch_dynamo_resume_in_name8_at_12_3");
  CHECK(expression("torch_dynamo_resume_in_<lambda>_at_7") ==
        "torch_dynamo_resume_in_<lambda>_at_7");
  CHECK(expression("outer.<locals>.forward") == "name9.<locals>.forward");
  CHECK(expression("self.decoder_layer_idx") == "self.name10_layer_idx");
  CHECK(expression("self.layer_idx") == "self.layer_idx");
}

TEST_CASE("attribute chains of torch are kept; operators of others are replaced", "[redact]") {
  Redactor redactor({"", {}});
  const auto expression = [&](std::string_view text) {
    return redactor.Rewrite(TextKind::kExpression, text);
  };
  CHECK(expression("torch.ops.aten.add.Tensor") == "torch.ops.aten.add.Tensor");
  CHECK(expression("aten::_local_scalar_dense") == "aten::_local_scalar_dense");
  CHECK(expression("torch.ops.acme.route.default") == "torch.ops.name1.name2.name3");
  CHECK(expression("torch.classes.acme.Table") == "torch.classes.name1.name4");
  CHECK(expression("self.torch.secret") == "self.torch.name5");
}

TEST_CASE("paths keep their extensions and their part below an installed torch", "[redact]") {
  Redactor redactor({"", {}});
  const auto path = [&](std::string_view text) { return redactor.Rewrite(TextKind::kPath, text); };
  CHECK(path("/home/ann/moe/gate.py") == "/name1/name2/name3/name4.py");
  CHECK(path("moe/rank_0.log.gz") == "name3/name5.log.gz");
  CHECK(path("/home/ann/v/lib/python3.11/site-packages/torch/nn/functional.py") ==
        "/name1/name2/name6/lib/python3.11/site-packages/torch/nn/functional.py");
  CHECK(path("/v/lib/python3.11/site-packages/acme/gate.py") ==
        "/name6/lib/python3.11/site-packages/name7/name4.py");
  CHECK(path("/src/pytorch/torch/nn/secret.py") == "/name8/name9/torch/nn/name10.py");
  CHECK(path("nn/functional.py") == "nn/functional.py");
  CHECK(path("nn/secret.py") == "name11/name10.py");
  CHECK(path("-") == "-");
  CHECK(path("<string>") == "<string>");
  CHECK(path("C:\\work\\gate.py") == "name12:\\name13\\name4.py");
}

TEST_CASE("messages keep the given words", "[redact]") {
  Redactor redactor({"", {"Attempted", "call"}});
  CHECK(redactor.Rewrite(TextKind::kProse, "Attempted call of gate in line 7") ==
        "Attempted call of name1 in line 7");
  CHECK(redactor.Rewrite(TextKind::kExpression, "Attempted") == "name2");
  CHECK(redactor.RewriteCode("the 'gate' of the others") == "the 'name1' of the others");
}

TEST_CASE("in our sentences, names in code are replaced and words are kept", "[redact]") {
  const std::string sentence =
      "Sizes come in bursts: e is a letter, dim 0 of a size (its end) doesn't vary, 12 calls.";
  Redactor redactor({"", {}});
  for (const std::string_view name : {"e", "", "12", "0", "Sizes", "size", "dim", "calls", "is",
                                      "of", "its", "end", "bursts", "letter", "a"}) {
    redactor.Rewrite(TextKind::kPath, name);
    redactor.Rewrite(TextKind::kExpression, name);
  }
  CHECK(redactor.RewriteCode(sentence) == sentence);
  redactor.Rewrite(TextKind::kExpression, "gate");
  const std::string token = redactor.Rewrite(TextKind::kExpression, "gate");
  for (const std::string_view text :
       {"a range on gate.size(0)", "the tensor 'gate' is", "mark_static(gate, 0) pins",
        "it asks gate[0]", "a:0 and gate:1", "in src/gate.py", "in gate.py:12", "[gate] says",
        "self.gate is", "acme::gate is", "moe/gate"}) {
    CAPTURE(text);
    const std::string redacted = redactor.RewriteCode(text);
    const bool is_list = text.starts_with('[');  // brackets of a sentence subscript nothing
    CHECK((redacted.find("gate") == std::string::npos) != is_list);
    CHECK((redacted.find(token) != std::string::npos) != is_list);
  }
}

TEST_CASE("sentences of a plan are kept for any names of files and columns", "[redact]") {
  BucketReport report;
  report.cost_model = "measured at 3 sizes";
  report.why = "one dynamic graph is 5.0 % slower, padded to 64 costs 60.0 % more than no padding";
  report.gaps = {
      "The calls have no order in time: that the plan holds for later ones is not checked."};
  report.assumptions = {"a compile takes 30 s"};
  report.unread = {"e: no such file"};
  report.simulations = {{"buckets(x, 1, 16|40)", 2, 0, {"the second size makes a dynamic graph"}}};
  report.static_compile = CompilePrice{1, "e"};
  const BucketReport before = report;
  for (const std::string_view name :
       {"e", "", "7", "30", "calls", "the", "plan", "dynamic graph", "x", "s", "padding"}) {
    Redactor redactor({"", {}});
    BucketReport redacted = report;
    redacted.inputs = {std::string(name)};
    redacted.columns = {std::string(name)};
    RedactBuckets(redactor, {}, redacted);
    CAPTURE(name);
    CHECK(redacted.cost_model == before.cost_model);
    CHECK(redacted.why == before.why);
    CHECK(redacted.gaps == before.gaps);
    CHECK(redacted.assumptions == before.assumptions);
    CHECK(redacted.unread == before.unread);
    // A policy names tensors, which may be columns.
    CHECK((redacted.simulations[0].policy == before.simulations[0].policy) == (name != "x"));
    CHECK(redacted.simulations[0].traps == before.simulations[0].traps);
  }
}

TEST_CASE("numbers are kept; words that begin like one are not", "[redact]") {
  Redactor redactor({"", {}});
  for (const std::string_view number : {"12", "0x7fA0", "1e5", "3x16", "2048MB", "12ms", "007"}) {
    CHECK(redactor.Rewrite(TextKind::kExpression, number) == number);
  }
  CHECK(redactor.Rewrite(TextKind::kExpression, "3gates") == "name1");
  CHECK(redactor.Rewrite(TextKind::kExpression, "9f8e7d6c5b4a") == "name2");
}

TEST_CASE("a line of code keeps its form, which shows how a value is used", "[redact]") {
  Redactor redactor({"", {}});
  CHECK(redactor.Rewrite(TextKind::kExpression, "return self.gate(x)") ==
        "return self.name1(name2)");
  CHECK(redactor.Rewrite(TextKind::kExpression, "if \"secret plan\" in plans[3]:  # ours") ==
        "if \"name3 name4\" in name5[3]:  # name6");
}

TEST_CASE("with a key, a token depends only on key and name", "[redact]") {
  Redactor first = Keyed("secret");
  Redactor second = Keyed("secret");
  first.Rewrite(TextKind::kExpression, "others come before");
  // HMAC-SHA256 of "gate" with the key "secret", as other programs compute it.
  const std::string token = second.Rewrite(TextKind::kExpression, "gate");
  CHECK(token == "name44a7e25ec0");
  CHECK(first.Rewrite(TextKind::kPath, "gate") == token);
  CHECK(Keyed("other").Rewrite(TextKind::kExpression, "gate") != token);
  CHECK(first.RewriteHash(7) == second.RewriteHash(7));
  CHECK(first.RewriteHash(7) != first.RewriteHash(8));
}

std::string RandomName(Random& random) {
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  std::string name = "zq";
  const size_t length = 4 + random.Below(12);
  while (name.size() < length) name += kLetters[random.Below(kLetters.size())];
  // Names in other scripts are names, too.
  if (random.Below(8) == 0) name += "\xC3\xA9";
  return name;
}

/// Texts as PyTorch prints them, with a name for each '@'.
constexpr std::string_view kTexts[] = {
    "L['self']._modules['@']._parameters['@'].size()[0]",
    "/@/@/site-packages/@/@.py",
    "torch_dynamo_resume_in_@_at_12",
    "@: tensor 'L['@']' size mismatch at index 0. expected 3, actual 4",
    "<class '@.@'> # @ @(@) in @",
    "call_function UserFunctionVariable(@) [ConstantVariable(str: '@')] {}",
    "torch.ops.@.@ and torch.classes.@.@ and self.torch.@",
    "__import_@_dot_@ G['@']",
    "/torch/nn/@/@.py",
    "torch/@.py",
    "@_layer_idx + layer_@_id",
    "12@ 0x7@ @12",
};

TEST_CASE("no name passes, in any position and for any kind of text", "[redact]") {
  Random random(7);
  for (const std::string& key : {std::string(), std::string("k")}) {
    Redactor redactor({key, {"call", "function", "tensor"}});
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      std::vector<std::string> names;
      for (const char c : kTexts[random.Below(std::size(kTexts))]) {
        if (c != '@') {
          text += c;
          continue;
        }
        names.push_back(RandomName(random));
        text += names.back();
      }
      for (const TextKind kind : {TextKind::kExpression, TextKind::kPath, TextKind::kProse}) {
        const std::string redacted = redactor.Rewrite(kind, text);
        INFO(text << " -> " << redacted);
        for (const std::string& name : names) {
          CHECK(redacted.find(name) == std::string::npos);
        }
        CHECK(redacted.find("zq") == std::string::npos);
      }
    }
  }
}

TEST_CASE("different names have different tokens, equal names equal ones", "[redact]") {
  Random random(8);
  for (const std::string& key : {std::string(), std::string("k")}) {
    Redactor redactor({key, {}});
    std::vector<std::pair<std::string, std::string>> pairs;
    for (int i = 0; i < 3000; ++i) {
      const std::string name = RandomName(random);
      pairs.emplace_back(redactor.Rewrite(TextKind::kExpression, name), name);
    }
    std::ranges::sort(pairs);
    for (size_t i = 1; i < pairs.size(); ++i) {
      CHECK((pairs[i].first == pairs[i - 1].first) == (pairs[i].second == pairs[i - 1].second));
    }
  }
}

}  // namespace
}  // namespace shapewise
