// Zip archives: what is read, and what is refused.

#include "support/zip_archive.h"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/zip_builder.h"

namespace shapewise {
namespace {

/// The text of each member, or the first error, as one text.
std::string Contents(std::string_view bytes) {
  Expected<ZipArchive> archive = ZipArchive::Open(bytes);
  if (!archive) return "error: " + llvm::toString(archive.takeError());
  std::string contents;
  for (const ZipArchive::Member& member : archive->members()) {
    Expected<std::string_view> text = archive->Read(member);
    if (!text) return "error: " + llvm::toString(text.takeError());
    contents += std::string(member.name) + "=" + std::string(*text) + ";";
  }
  return contents;
}

bool Says(std::string_view bytes, std::string_view words) {
  const std::string contents = Contents(bytes);
  INFO(contents);
  return contents.starts_with("error: ") && contents.find(words) != std::string::npos;
}

TEST_CASE("members are read whichever way they were written", "[zip]") {
  const std::vector<ZipEntry> entries = {
      {.name = "b/plain", .text = "as it is"},
      {.name = "a/packed", .text = std::string(1000, 'x'), .is_deflated = true},
      {.name = "c", .text = "streamed", .is_deflated = true, .has_descriptor = true},
      {.name = "d", .text = "large", .is_zip64 = true},
      {.name = "folder/", .text = ""},
      {.name = "empty", .text = ""},
  };
  const std::string expected =
      "a/packed=" + std::string(1000, 'x') + ";b/plain=as it is;c=streamed;d=large;empty=;";
  CHECK(Contents(BuildZip(entries)) == expected);
  CHECK(Contents(BuildZip(entries, /*ends_in_zip64=*/true)) == expected);
  CHECK(Contents(BuildZip({})).empty());
}

TEST_CASE("a stored member is a view of the archive", "[zip]") {
  const std::string bytes = BuildZip({{.name = "weights", .text = "0123456789"}});
  Expected<ZipArchive> archive = ZipArchive::Open(bytes);
  REQUIRE(static_cast<bool>(archive));
  REQUIRE(archive->Find("weight") == nullptr);
  Expected<std::string_view> text = archive->Read(*archive->Find("weights"));
  REQUIRE(static_cast<bool>(text));
  CHECK(text->data() >= bytes.data());
  CHECK(text->data() < bytes.data() + bytes.size());
}

TEST_CASE("a name that leads out of the archive refuses it", "[zip]") {
  using namespace std::string_literals;
  for (const std::string& name :
       {"../x"s, "a/../../x"s, "/etc/x"s, "C:x"s, "a\\b"s, "a\0b"s, ""s, ".."s, "a\nb"s}) {
    CHECK(Says(BuildZip({{.name = name, .text = "x"}}), "leads out of it"));
  }
  CHECK(Contents(BuildZip({{.name = "a/..b/.c", .text = "x"}})) == "a/..b/.c=x;");
}

TEST_CASE("two members of one name, or in one place, refuse the archive", "[zip]") {
  CHECK(Says(BuildZip({{.name = "a", .text = "1"}, {.name = "a", .text = "2"}}),
             "two members named 'a'"));
  // The second header is said to stand where the first one does.
  CHECK(Says(BuildZip({{.name = "a", .text = "1"}, {.name = "b", .text = "2", .more_offset = -32}}),
             "reaches into the one behind it"));
  CHECK(Says(BuildZip({{.name = "a", .text = "1", .more_offset = 1000}}), "beyond the end"));
}

TEST_CASE("sizes and checksums are held to", "[zip]") {
  CHECK(Says(BuildZip({{.name = "a", .text = "abc", .more_unpacked = 1}}), "two different sizes"));
  CHECK(Says(BuildZip({{.name = "a", .text = "abc", .is_deflated = true, .more_unpacked = 1}}),
             "does not unpack to the 4 bytes"));
  CHECK(Says(BuildZip({{.name = "a", .text = "abc", .is_deflated = true, .more_unpacked = -1}}),
             "does not unpack to the 2 bytes"));
  CHECK(Says(BuildZip({{.name = "a", .text = "abc", .wrong_checksum = 1}}), "checksum"));
}

TEST_CASE("a bomb is refused by what it announces and by what it is", "[zip]") {
  const std::string zeros(size_t{20} << 20, '\0');
  // Honest, but more than any model has: 1 GiB that packs to 1 MiB.
  CHECK(Says(BuildZip({{.name = "bomb",
                        .text = zeros,
                        .is_deflated = true,
                        .more_unpacked = (int64_t{1} << 30) - (int64_t{20} << 20)}}),
             "more than is ever needed"));
  // It says 10 bytes, and is 20 MiB: unpacking stops behind the tenth.
  CHECK(Says(BuildZip({{.name = "bomb",
                        .text = zeros,
                        .is_deflated = true,
                        .more_unpacked = 10 - (int64_t{20} << 20)}}),
             "does not unpack to the 10 bytes"));
  CHECK(
      Says(BuildZip({{.name = "bomb", .text = "x", .is_deflated = true, .more_unpacked = 1 << 20}}),
           "no 3 bytes unpack to 1048577"));
}

TEST_CASE("thousands of members are found by name", "[zip]") {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 20000; ++i) {
    entries.push_back({.name = "m" + std::to_string(i), .text = std::to_string(i * 7)});
  }
  const std::string bytes = BuildZip(entries);
  Expected<ZipArchive> archive = ZipArchive::Open(bytes);
  REQUIRE(static_cast<bool>(archive));
  for (const int i : {0, 1, 777, 19999}) {
    const ZipArchive::Member* const member = archive->Find("m" + std::to_string(i));
    REQUIRE(member != nullptr);
    CHECK(llvm::cantFail(archive->Read(*member)) == std::to_string(i * 7));
  }
}

TEST_CASE("an archive that is cut anywhere says so", "[zip]") {
  const std::string whole = BuildZip({{.name = "a", .text = "some text", .is_deflated = true},
                                      {.name = "b", .text = "more", .has_descriptor = true}});
  for (size_t end = 0; end < whole.size(); ++end) {
    CHECK(Says(std::string_view(whole).substr(0, end), "missing or damaged"));
  }
  CHECK(Contents(whole) == "a=some text;b=more;");
}

TEST_CASE("a byte that is changed is noticed or does not matter", "[zip]") {
  const std::vector<ZipEntry> entries = {{.name = "a", .text = "some text", .is_deflated = true},
                                         {.name = "b", .text = "more"}};
  const std::string whole = BuildZip(entries);
  const std::string expected = Contents(whole);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const std::string contents = Contents(changed);
      // A changed text has a wrong checksum; only names are not held by one, and those stand twice.
      if (!contents.starts_with("error: ")) CHECK(contents == expected);
    }
  }
}

}  // namespace
}  // namespace shapewise
