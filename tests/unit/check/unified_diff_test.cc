#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "check/fixes.h"
#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("A difference shows three lines around a change") {
  CHECK(UnifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "a.py") ==
        "--- a/a.py\n+++ b/a.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  CHECK(UnifiedDiff("a\n", "a\n", "a.py").empty());
}

TEST_CASE("A missing line end is marked, and a CR belongs to its line") {
  CHECK(UnifiedDiff("a\r\nb", "a\r\nc\r\n", "a.py") ==
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\r\n");
  CHECK(UnifiedDiff("", "a\n", "a.py") == "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+a\n");
}

/// What `git apply` makes of `before` by the difference.
std::string Patched(const std::string& before, const std::string& diff) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "shapewise-diff-test";
  fs::create_directories(folder);
  std::ofstream(folder / "a.py", std::ios::binary) << before;
  std::ofstream(folder / "a.diff", std::ios::binary) << diff;
  const std::string command =
      "cd " + folder.string() + " && git apply --unsafe-paths --whitespace=nowarn a.diff 2>&1";
  const int status = std::system(command.c_str());
  std::ostringstream text;
  text << std::ifstream(folder / "a.py", std::ios::binary).rdbuf();
  fs::remove_all(folder);
  return status == 0 ? text.str() : "git refused:\n" + diff;
}

TEST_CASE("git applies the printed difference of any texts") {
  if (std::system("git --version >/dev/null 2>&1") != 0) return;  // there is no git
  std::mt19937 random(7);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int round = 0; round < 40; ++round) {
    const char* ends[] = {"\n", "\r\n"};
    const std::string end = ends[round % 2];
    std::vector<std::string> lines;
    for (size_t i = 0; i < 5 + pick(40); ++i)
      lines.push_back("line " + std::to_string(pick(6)) +
                      (i == 0 && round % 3 == 0 ? "\xEF\xBB\xBF" : ""));
    std::vector<std::string> changed = lines;
    for (size_t i = 0; i < 1 + pick(5); ++i) {
      const size_t at = pick(changed.size());
      if (pick(3) == 0 && changed.size() > 1) {
        changed.erase(changed.begin() + static_cast<ptrdiff_t>(at));
      } else if (pick(2) == 0) {
        changed.insert(changed.begin() + static_cast<ptrdiff_t>(at), "new " + std::to_string(i));
      } else {
        changed[at] += " changed";
      }
    }
    const auto text = [&](const std::vector<std::string>& all, bool is_ended) {
      std::string joined;
      for (const std::string& line : all) joined += line + end;
      if (!is_ended) joined.resize(joined.size() - end.size());
      return joined;
    };
    const std::string before = text(lines, pick(2) == 0);
    const std::string after = text(changed, pick(2) == 0);
    if (before == after) continue;
    CHECK(Patched(before, UnifiedDiff(before, after, "a.py")) == after);
  }
}

TEST_CASE("Texts with nothing in common are one replacement") {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  CHECK(UnifiedDiff(before, after, "a.py").find("@@ -1,5000 +1,5000 @@") != std::string::npos);
}

}  // namespace
}  // namespace shapewise
