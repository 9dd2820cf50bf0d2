#include "shapewise/analyze.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"

namespace shapewise::api {
namespace {

// Eight recompiles of attend: k grows in dim 2; then the limit.
constexpr const char* kLog = "corpora/captured/2.13.0/222-limit-cache/log.txt";

/// A file that is removed at the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("shapewise-api-" + std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

bool HasFormat(const Document& document, const std::string& format) {
  return std::ranges::find(document.formats(), format) != document.formats().end();
}

TEST_CASE("lint gives diagnostics, a status and every format") {
  const Document document = Lint({.paths = {kLog}, .keep_details = true});
  CHECK(document.command() == "lint");
  CHECK(document.messages().empty());
  REQUIRE(document.diagnostics().size() == 1);
  const Diagnostic& diagnostic = document.diagnostics().front();
  CHECK(diagnostic.rule == "SWC003");
  CHECK(diagnostic.severity == Severity::kError);
  CHECK(diagnostic.place.function == "attend");
  CHECK(diagnostic.place.line == 7);
  CHECK(diagnostic.log == kLog);
  CHECK(document.status() == Status::kFindings);
  CHECK(document.status(Severity::kError) == Status::kFindings);
  REQUIRE_FALSE(document.formats().empty());
  CHECK(document.formats().front() == "text");
  for (const std::string& format : document.formats()) {
    INFO(format);
    const std::optional<std::string> text = document.Render(format);
    REQUIRE(text);
    CHECK(text->find("SWC003") != std::string::npos);
  }
  CHECK_FALSE(document.Render("docx"));
  CHECK(document.Render("sarif")->find("\"limit-by-growing-size\"") != std::string::npos);
}

TEST_CASE("rules that are left out change the status") {
  const Document document = Lint({.paths = {kLog}, .ignore = {"SWC003"}});
  CHECK(document.diagnostics().empty());
  CHECK(document.status() == Status::kClean);
}

TEST_CASE("what goes wrong is a message, and the status is kTrouble") {
  const auto message_of = [](const Document& document) {
    CHECK(document.status(Severity::kError) == Status::kTrouble);
    REQUIRE_FALSE(document.messages().empty());
    CHECK(document.messages().back().severity == Severity::kError);
    return document.messages().back().text;
  };
  CHECK(message_of(Lint({})) == "no paths are given");
  CHECK(message_of(Lint({.paths = {"/no/such.log"}})) == "/no/such.log: no such file or directory");
  CHECK(message_of(Check({.paths = {kLog}, .select = {"SWX"}})).find("SWX") != std::string::npos);
  CHECK(message_of(Buckets({.paths = {"x"}, .buckets = 0})) ==
        "buckets 0 is not a number from 1 to 4096");
  CHECK(message_of(Buckets({.paths = {"x"}, .min = {9}, .max = {8}})) ==
        "--min 9 is larger than --max 8");
  const Document missing = Lint({.paths = {kLog, "/no/such.log"}});
  CHECK(message_of(missing) == "/no/such.log: no such file or directory");
  CHECK(missing.diagnostics().size() == 1);
  CHECK(HasFormat(missing, "json"));
}

TEST_CASE("an input without output of torch.compile is clean, unless some is expected") {
  const TemporaryFile log("quiet.log", "epoch 1 loss 0.5\n");
  const Document quiet = Lint({.paths = {log.path()}});
  CHECK(quiet.status() == Status::kClean);
  REQUIRE(quiet.messages().size() == 1);
  CHECK(quiet.messages().front().severity == Severity::kWarning);
  CHECK(Lint({.paths = {log.path()}, .expect_output = true}).status() == Status::kTrouble);
}

TEST_CASE("check finds code, with its fix") {
  const TemporaryFile model("model.py",
                            "import torch\n\n\n@torch.compile\ndef f(x):\n"
                            "    return x * x.sum().item()\n");
  const Document document = Check({.paths = {model.path()}});
  REQUIRE(document.diagnostics().size() == 1);
  const Diagnostic& diagnostic = document.diagnostics().front();
  CHECK(diagnostic.place.file == model.path().string());
  CHECK(diagnostic.place.line == 6);
  CHECK(diagnostic.place.column == 16);
  CHECK(diagnostic.confidence > 0.5);
  CHECK(document.Render("text")->find("x.sum().item()") != std::string::npos);
  CHECK(document.status() == Status::kFindings);

  const Document log = Check({.paths = {kLog}});
  CHECK(log.status() == Status::kTrouble);
  REQUIRE_FALSE(log.messages().empty());
  CHECK(log.messages().back().text.find("not Python source") != std::string::npos);
}

TEST_CASE("advise gives actions, and a patch on request only") {
  const Document document = Advise({.paths = {kLog}});
  REQUIRE_FALSE(document.actions().empty());
  const Action& first = document.actions().front();
  CHECK(first.is_planned);
  CHECK(first.rule == "SWC003");
  CHECK_FALSE(first.text.empty());
  CHECK(HasFormat(document, "env"));
  CHECK_FALSE(HasFormat(document, "patch"));
  CHECK(HasFormat(Advise({.paths = {kLog}, .patch = true}), "patch"));
}

TEST_CASE("buckets gives a plan and texts to paste") {
  const TemporaryFile sizes("sizes.txt", "3\n5\n3\n5\n");
  const Document document = Buckets({.paths = {sizes.path()}, .buckets = 2});
  REQUIRE(document.plan() != nullptr);
  CHECK(document.plan()->buckets == std::vector<std::vector<int64_t>>{{3}, {5}});
  CHECK(document.plan()->padding == 0);
  CHECK(document.Render("vllm")->find('5') != std::string::npos);
  CHECK(Lint({.paths = {kLog}}).plan() == nullptr);
}

TEST_CASE("several threads may analyze and render at once") {
  const Document document = Lint({.paths = {kLog}});
  const std::optional<std::string> expected = document.Render("json");
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&document, &text] {
      text = *document.Render("json");
      if (text != *Lint({.paths = {kLog}}).Render("json")) text.clear();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) CHECK(text == *expected);
}

}  // namespace
}  // namespace shapewise::api
