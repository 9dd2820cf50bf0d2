#include "ingest/formats/torch_log/line_framer.h"

#include <string>
#include <vector>

#include "ingest/formats/torch_log/pasted_line.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using Lines = std::vector<std::string>;

/// The parts of some lines: those with a prefix of torch's as "rank|compile id|text".
class Parts final : private LineFramer {
 public:
  explicit Parts(const Lines& lines) {
    for (const std::string& line : lines) {
      ReadLine(line, ++number_);
      previous_ = line;
    }
    FinishLines();
  }

  Lines texts;

 private:
  void OnPart(LinePart& part) override {
    CHECK(part.begin <= part.number);
    CHECK(part.number <= number_);
    std::string text(part.body);
    if (part.has_prefix) {
      text = std::to_string(part.foreign.rank) + "|" + std::string(part.prefix.compile_id) + "|" +
             text;
    }
    texts.push_back(text);
  }
  bool IsDoubtfulPrefix(const LinePart&) const override { return false; }
  std::string_view PreviousLine() const override { return previous_; }

  uint64_t number_ = 0;
  std::string previous_;
};

const std::string kPrefix = "V1121 03:52:28.504000 9120 torch/_dynamo/guards.py:5396]";
const std::string kHead = "Recompiling function f in /w/x.py:3";

TEST_CASE("a prefix is put together wherever it was wrapped", "[ingest]") {
  const std::string line = kPrefix + " [0/1] [__recompiles] " + kHead;
  // In front of the text, whose first words show by themselves whether they are whole.
  for (size_t at = 9; at < line.find("Recompiling"); ++at) {
    CAPTURE(line.substr(0, at));
    CHECK(Parts({line.substr(0, at), line.substr(at)}).texts == Lines{"-1|0/1|" + kHead});
    const std::string label = "[default1]:[rank1]:";
    CHECK(Parts({label + line.substr(0, at), line.substr(at)}).texts == Lines{"1|0/1|" + kHead});
    CHECK(Parts({"> " + line.substr(0, at), "> " + line.substr(at)}).texts ==
          Lines{"-1|0/1|" + kHead});
  }
}

TEST_CASE("a prefix that was wrapped at a blank loses it", "[ingest]") {
  const std::string rest = "torch/_dynamo/guards.py:5396] [0/1] [__recompiles] " + kHead;
  CHECK(Parts({"V1121 03:52:28.504000 9120", rest}).texts == Lines{"-1|0/1|" + kHead});
  CHECK(Parts({"V1121 03:52:28.504000", "9120 " + rest}).texts == Lines{"-1|0/1|" + kHead});
  CHECK(Parts({"  V1121 03:52:28.504000 9120", "      " + rest}).texts == Lines{"-1|0/1|" + kHead});
  CHECK(
      Parts({kPrefix + " [0/1]", "[__recompiles] Recompiling", "function f in /w/x.py:3"}).texts ==
      Lines{"-1|0/1|" + kHead});
}

TEST_CASE("what only looks wrapped stays apart", "[ingest]") {
  const std::string empty = kPrefix + " [0/1] [__recompiles] ";
  for (const std::string& next :
       {std::string("loss 2.31"), kPrefix + " [0/1] [__recompiles] " + kHead,
        std::string("Traceback (most recent call last):"),
        std::string("  File \"x.py\", line 3")}) {
    CAPTURE(next);
    CHECK(Parts({empty, next}).texts.size() == 2);
  }
  CHECK(Parts({"W1121 03:52:28", "step 3"}).texts == Lines{"W1121 03:52:28", "step 3"});
  CHECK(Parts({kPrefix + " [0/1] " + kHead, "10"}).texts.size() == 2);
}

TEST_CASE("once the width of the wraps is known, every full line goes on", "[ingest]") {
  const std::string text = "    - 0/0: ___check_obj_id(L['act'], 94214318802128)";
  const std::string line = kPrefix + " [0/1] [__recompiles] ";
  const std::string head = line + kHead;
  const size_t width = line.size() + 5;
  const Lines lines = {head.substr(0, width), head.substr(width), (line + text).substr(0, width),
                       (line + text).substr(width)};
  CHECK(Parts(lines).texts == Lines{"-1|0/1|" + kHead, "-1|0/1|" + text});
}

Lines Restored(std::string_view line) {
  Lines lines;
  RestorePastedLine(line, lines);
  return lines;
}

TEST_CASE("members of a JSON object that hold text of a log are read", "[ingest]") {
  const std::string line = kPrefix + " [0/0] x == \\\"a\\\"  # f(\\\"a\\\")";
  const Lines plain = {kPrefix + " [0/0] x == \"a\"  # f(\"a\")"};
  CHECK(Restored("{\"message\":\"" + line + "\",\"level\":\"DEBUG\"}") == plain);
  CHECK(Restored("{\"level\": \"DEBUG\", \"pod\": {\"name\": \"a\"}, \"msg\": \"" + line + "\"}") ==
        plain);
  CHECK(Restored("{\"level\": \"DEBUG\", \"other\": \"" + line + "\", \"n\": 1}") == plain);
  CHECK(Restored("{\"message\": \"step 1\", \"n\": 1}") == Lines{"step 1"});
  CHECK(Restored("{\"num_choices\": 2, \"best_kernel\": \"mm\"}").empty());
}

TEST_CASE("text between quotes is read, also from a list", "[ingest]") {
  const std::string line = kPrefix + " [0/1] " + kHead;
  const Lines both = {"-1|0/1|" + kHead, "-1|0/1|    - 0/0: L['n'] == 3"};
  const std::string second = kPrefix + " [0/1]     - 0/0: L['n'] == 3";
  CHECK(Parts({"lines = ['" + line + "\\n', \"" + second + "\\n\"]"}).texts == both);
  CHECK(Parts({"lines = ['" + line + "', \"" + second + "\"] == []"}).texts == both);
  CHECK(
      Parts({"out=b'" + line + "\\n" + kPrefix + " [0/1]     - 0/0: L[\\'n\\'] == 3\\n')"}).texts ==
      both);
  CHECK(Parts({"`" + line + "`", "`" + second + "`"}).texts == both);
  CHECK(Parts({"7,\"" + line + "\",x", "8,\"" + second + "\""}).texts == both);
}

TEST_CASE("tags and typography are undone, names of Python are kept", "[ingest]") {
  CHECK(Restored("<pre class=\"x\">a &lt;lambda&gt;<br/>b</code></pre>") ==
        Lines{"a <lambda>", "b"});
  CHECK(Restored("<lambda> in <code object f at 0x7f> </module>").empty());
  CHECK(Restored("\xef\xbb\xbf\xe2\x80\x8b  \xe2\x80\x93 0/0: tensor \xe2\x80\x98x\xe2\x80\x99") ==
        Lines{"  - 0/0: tensor 'x'"});
  CHECK(Restored("a\xe2\x80\x93z").empty());
}

}  // namespace
}  // namespace shapewise
