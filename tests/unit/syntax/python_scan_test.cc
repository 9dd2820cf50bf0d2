#include "syntax/outline.h"
#include "support/catch.h"

#include <string>
#include <vector>

namespace shapewise {
namespace {

std::vector<std::string> Texts(std::string_view text, const std::vector<FileSpan>& spans) {
  std::vector<std::string> texts;
  for (const FileSpan& span : spans)
    texts.emplace_back(text.substr(span.begin, span.end - span.begin));
  return texts;
}

std::vector<std::string> Comments(std::string_view text) {
  return Texts(text, ScanPython(text).comments);
}

std::vector<std::string> Lines(std::string_view text) {
  return Texts(text, ScanPython(text).logical_lines);
}

TEST_CASE("A comment inside any kind of string is not a comment") {
  CHECK(Comments("a = '# no'  # yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = '''# no\n# no'''  # yes") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = r'\\'  # no'  # yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = 'open\n# yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = f'{x[\"#\"]} # no'  # yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = f'{x['#']} # no'  # yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = f'{{# no'  # yes\n") == std::vector<std::string>{"# yes"});
  CHECK(Comments("a = rb'\"'  # yes\r\nb # too") == std::vector<std::string>{"# yes", "# too"});
}

TEST_CASE("Brackets, strings and backslashes continue lines") {
  CHECK(Lines("\n# c\na = (1,\n\n # c\n 2)\nb = '''\n\n'''\nc = 1 + \\\n  2\n") ==
        std::vector<std::string>{"a = (1,\n\n # c\n 2)", "b = '''\n\n'''", "c = 1 + \\\n  2"});
  CHECK(Lines("a\r\nb") == std::vector<std::string>{"a", "b"});
  CHECK(Lines(")\na") == std::vector<std::string>{")", "a"});
  CHECK(Lines("").empty());
}

TEST_CASE("For any text, spans ascend and are within it") {
  const std::string_view seeds[] = {"f'{a!r:>{w}}' # c\n", "((('''\\\n\"", "f\"{f'{f\"{1}\"}'}\"\\",
                                    "\xEF\xBB\xBF# c\na=1"};
  for (const std::string_view seed : seeds) {
    for (size_t begin = 0; begin <= seed.size(); ++begin) {
      for (size_t end = begin; end <= seed.size(); ++end) {
        const std::string_view text = seed.substr(begin, end - begin);
        const PythonScan scan = ScanPython(text);
        for (const auto* spans : {&scan.strings, &scan.comments, &scan.logical_lines}) {
          size_t at = 0;
          for (const FileSpan& span : *spans) {
            CHECK(span.begin >= at);
            CHECK(span.begin < span.end);
            CHECK(span.end <= text.size());
            at = span.end;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace shapewise
