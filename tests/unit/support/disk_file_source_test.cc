#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/text_input.h"
#include "unit/support/recording_sink.h"

namespace shapewise {
namespace {

namespace fs = std::filesystem;

// A folder that is gone with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "shapewise-XXXXXX").native();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { fs::remove_all(path_); }

  std::string operator/(std::string_view name) const { return (path_ / name).native(); }
  std::string path() const { return path_.native(); }

  std::string Write(std::string_view name, std::string_view text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  fs::path path_;
};

template <typename T>
std::string Message(Expected<T> result) {
  REQUIRE_FALSE(static_cast<bool>(result));
  return llvm::toString(result.takeError());
}

std::string Message(Error error) {
  REQUIRE(static_cast<bool>(error));
  return llvm::toString(std::move(error));
}

template <typename T>
T Value(Expected<T> result) {
  if (!result) FAIL(llvm::toString(result.takeError()));
  return *result;
}

// What a whole file holds.
TextTotals ReadWhole(const std::string& path, LineSink& sink, Stats& stats) {
  TextTotals totals;
  Error error = NewDiskFileSource()->Read(path, sink, stats, 3, totals);
  if (error) FAIL(llvm::toString(std::move(error)));
  return totals;
}

std::vector<RecordingSink::Event> ReadFile(const std::string& path) {
  RecordingSink sink;
  Stats stats;
  ReadWhole(path, sink, stats);
  return sink.events;
}

// The read end of a pipe that holds `text` and has no writer.
int PipeWith(std::string_view text) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  return ends[0];
}

TEST_CASE("a file on disk gives the lines that its bytes give, whatever its size") {
  const TemporaryFolder folder;
  const std::string long_line(5 * kMaxLineBytes, 'x');
  std::string many_lines;
  while (many_lines.size() < 9 * kMaxLineBytes) {
    many_lines += "line " + std::to_string(many_lines.size()) + '\n';
  }
  for (const std::string& text :
       {std::string(), std::string("a\nb"), many_lines, many_lines + long_line + "\n" + many_lines,
        long_line + long_line, many_lines + "end"}) {
    RecordingSink expected;
    Stats expected_stats;
    const TextTotals totals = ReadChunks({text}, expected, expected_stats, 3);
    RecordingSink sink;
    Stats stats;
    const TextTotals disk_totals = ReadWhole(folder.Write("log", text), sink, stats);
    CHECK((sink.events == expected.events));
    CHECK(disk_totals.bytes == totals.bytes);
    CHECK(disk_totals.lines == totals.lines);
    for (size_t i = 0; i < kNumStats; ++i) {
      CHECK(stats.count(i).times == expected_stats.count(i).times);
      CHECK(stats.count(i).first_line == expected_stats.count(i).first_line);
    }
  }
}

TEST_CASE("pipes and files that claim to be empty are read to their end") {
  const int pipe = PipeWith("from\na pipe");
  const auto events = ReadFile("/dev/fd/" + std::to_string(pipe));
  ::close(pipe);
  REQUIRE(events.size() == 2);
  CHECK(events[1] == RecordingSink::Event{2, "a pipe"});
  CHECK(ReadFile("/proc/self/status").size() > 10);
  CHECK(ReadFile("/dev/null").empty());
}

TEST_CASE("a dash is standard input, a pipe or a file") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("log", "one\ntwo\n");
  const int saved = ::dup(STDIN_FILENO);
  for (const int input : {PipeWith("one\ntwo\n"), ::open(path.c_str(), O_RDONLY)}) {
    REQUIRE(::dup2(input, STDIN_FILENO) == STDIN_FILENO);
    CHECK(ReadFile("-").size() == 2);
    CHECK(::fcntl(STDIN_FILENO, F_GETFD) != -1);
    ::close(input);
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  CHECK(Value(NewDiskFileSource()->Expand("-")) == std::vector<std::string>{"-"});
}

TEST_CASE("a folder is walked in byte order, without what is hidden") {
  const TemporaryFolder folder;
  folder.Write("b.log", "");
  folder.Write("a/z.log", "");
  folder.Write("a.log", "");
  folder.Write("B.log", "");
  folder.Write("a/deep/er/x", "");
  folder.Write(".hidden", "");
  folder.Write(".git/config", "");
  const auto files = Value(NewDiskFileSource()->Expand(folder.path()));
  CHECK(files == std::vector<std::string>{folder / "B.log", folder / "a.log",
                                          folder / "a/deep/er/x", folder / "a/z.log",
                                          folder / "b.log"});
  const auto with_slash = Value(NewDiskFileSource()->Expand(folder.path() + "/"));
  CHECK(with_slash == files);
  CHECK(Value(NewDiskFileSource()->Expand(folder / ".hidden")).size() == 1);
}

TEST_CASE("of the links in a folder only those to files are followed") {
  const TemporaryFolder folder;
  folder.Write("logs/real", "");
  folder.Write("elsewhere/other", "");
  fs::create_symlink(folder / "elsewhere/other", folder / "logs/link");
  fs::create_directory_symlink(folder / "elsewhere", folder / "logs/linked");
  fs::create_directory_symlink(folder / "logs", folder / "logs/loop");
  fs::create_symlink(folder / "nothing", folder / "logs/broken");
  REQUIRE(::mkfifo((folder / "logs/pipe").c_str(), 0600) == 0);
  CHECK(Value(NewDiskFileSource()->Expand(folder / "logs")) ==
        std::vector<std::string>{folder / "logs/link", folder / "logs/real"});
  // A link that is named is entered.
  CHECK(Value(NewDiskFileSource()->Expand(folder / "logs/linked")) ==
        std::vector<std::string>{folder / "logs/linked/other"});
}

TEST_CASE("an error names the unreadable path and the reason") {
  const TemporaryFolder folder;
  const auto source = NewDiskFileSource();
  RecordingSink sink;
  Stats stats;
  TextTotals totals;
  const std::string missing = folder / "miss\x1bing";
  const std::string no_such_file = (folder / "miss?ing") + ": no such file or directory";
  CHECK(Message(source->Expand(missing)) == no_such_file);
  CHECK(Message(source->Read(missing, sink, stats, 0, totals)) == no_such_file);
  CHECK(Message(source->Read(folder.path(), sink, stats, 0, totals)) ==
        folder.path() + ": is a directory");
  if (::geteuid() != 0) {
    const std::string locked = folder.Write("locked/file", "");
    fs::permissions(locked, fs::perms::none);
    CHECK(Message(source->Read(locked, sink, stats, 0, totals)) == locked + ": permission denied");
    fs::permissions(folder / "locked", fs::perms::none);
    CHECK(Message(source->Expand(folder / "locked")) ==
          (folder / "locked") + ": permission denied");
    // The rest of a folder is not lost with a part of it.
    CHECK(Value(source->Expand(folder.path())) == std::vector<std::string>{folder / "locked"});
    CHECK(Message(source->Read(folder / "locked", sink, stats, 0, totals)) ==
          (folder / "locked") + ": permission denied");
    fs::permissions(folder / "locked", fs::perms::owner_all);
  }
  CHECK(sink.events.empty());
  CHECK(totals.bytes == 0);
}

TEST_CASE("a file that is cut while it is read is an error, and what was read stays given") {
  struct CuttingSink : RecordingSink {
    void OnLines(std::string_view lines, uint64_t first_line) override {
      RecordingSink::OnLines(lines, first_line);
      REQUIRE(::truncate(path.c_str(), 4 << 20) == 0);
    }
    std::string path;
  };
  const TemporaryFolder folder;
  CuttingSink sink;
  Stats stats;
  TextTotals totals{.bytes = 5, .lines = 3};  // of another file that is read before it
  std::string text;
  while (text.size() < (size_t{9} << 20)) text += "line " + std::to_string(text.size()) + '\n';
  sink.path = folder.Write("log", text);
  CHECK(Message(NewDiskFileSource()->Read(sink.path, sink, stats, 0, totals)) ==
        sink.path + ": cannot read on: it became shorter while it was read");
  const std::string left = text.substr(0, 4 << 20);
  CHECK(sink.Text() == left);
  CHECK(totals.bytes == 5 + left.size());
  const auto newlines = static_cast<uint64_t>(std::count(left.begin(), left.end(), '\n'));
  CHECK(totals.lines == 3 + newlines + (left.ends_with('\n') ? 0 : 1));
}

TEST_CASE("of a file that grows while it is read it is read what it held at first") {
  struct WritingSink : RecordingSink {
    void OnLines(std::string_view lines, uint64_t first_line) override {
      RecordingSink::OnLines(lines, first_line);
      std::ofstream(path, std::ios::app) << lines;
    }
    std::string path;
  };
  const TemporaryFolder folder;
  WritingSink sink;
  Stats stats;
  std::string text;
  while (text.size() < (size_t{1} << 20)) text += "line " + std::to_string(text.size()) + '\n';
  sink.path = folder.Write("log", text);
  CHECK(ReadWhole(sink.path, sink, stats).bytes == text.size());
  CHECK(sink.Text() == text);
}

TEST_CASE("bytes of a file that is cut while they lie in memory can be touched") {
  const TemporaryFolder folder;
  const auto source = NewDiskFileSource();
  const std::string kept(1 << 16, 'k');
  for (const size_t size : {size_t{1} << 20, size_t{64} << 20}) {
    const std::string path = folder.Write("archive", kept);
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(size)) == 0);
    auto opened = source->Open(path);
    REQUIRE(static_cast<bool>(opened));
    const llvm::StringRef bytes = (*opened)->getBuffer();
    CHECK(bytes.size() == size);
    CHECK_FALSE(static_cast<bool>(CheckUncut(path, **opened)));

    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(kept.size())) == 0);
    CHECK(std::string_view(bytes).starts_with(std::string_view(kept)));
    CHECK(bytes.back() == '\0');
    Error cut = CheckUncut(path, **opened);
    // Files that were read and not mapped are complete.
    CHECK(static_cast<bool>(cut) == (size > (size_t{32} << 20)));
    if (cut) {
      CHECK(llvm::toString(std::move(cut)) ==
            path + ": cannot read on: it became shorter while it was read");
    }
  }
}

}  // namespace
}  // namespace shapewise
