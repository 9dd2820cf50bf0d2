#include "support/terminal_text.h"

#include <string>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

std::string Strip(std::string_view text) {
  std::string storage = "left from before";
  return std::string(StripEscapes(text, storage));
}

TEST_CASE("text without escapes is handed back as it is") {
  std::string storage;
  const std::string_view text = "step 1: loss 2.5 [31m \t\r";
  CHECK(StripEscapes(text, storage).data() == text.data());
  CHECK(StripEscapes(text, storage) == text);
  CHECK(Strip("").empty());
}

TEST_CASE("escapes are stripped and the text around them stays") {
  CHECK(Strip("\x1b[31mred\x1b[0m and \x1b[1;38;5;196mmore\x1b[K") == "red and more");
  CHECK(Strip("\x1b[?25lhidden\x1b[?25h") == "hidden");
  CHECK(Strip("\x1b[2 qcursor") == "cursor");
  CHECK(Strip("\x1b]0;title\atext") == "text");
  CHECK(Strip("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ text") == "link text");
  CHECK(Strip("\x1bPq#0\x1b\\after a device string") == "after a device string");
  CHECK(Strip("\x1b(Bascii\x1b"
              "7saved\x1b"
              "8\x1b=\x1b"
              "cend") == "asciisavedend");
}

TEST_CASE("a cut escape at the end goes too") {
  for (const char* cut : {"\x1b", "\x1b[", "\x1b[1", "\x1b[1;3", "\x1b[1 ", "\x1b]0;ti", "\x1b(",
                          "\x1b]0;title\x1b"}) {
    CHECK(Strip(std::string("text") + cut) == "text");
  }
}

TEST_CASE("a broken escape takes nothing that is not its own") {
  CHECK(Strip("\x1b[31\ttext") == "\ttext");
  CHECK(Strip("\x1b\x1b[1mtext") == "text");
  CHECK(Strip("\x1b\ntext") == "\ntext");
  CHECK(Strip("\x1b]0;title\nnext line") == "\nnext line");
  CHECK(Strip("\x1b\xc3\xa9t\xc3\xa9") == "\xc3\xa9t\xc3\xa9");
}

TEST_CASE("printable text drives no terminal") {
  CHECK(MakePrintable("plain\ttext \xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5") ==
        "plain\ttext \xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
  CHECK(MakePrintable("\x1b[31m\r\n\x7f") == "?[31m???");
  CHECK(MakePrintable(std::string_view("\0", 1)) == "?");
  CHECK(MakePrintable("\xc2\x9b"
                      "31m\xc2\xa0") == "?31m\xc2\xa0");
  CHECK(MakePrintable("\x9b") == "\xef\xbf\xbd");
}

TEST_CASE("UTF-8 is told from what is not") {
  for (const char* text :
       {"", "ascii", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "long enough for words \xc3\xa9 and after it"}) {
    CHECK(IsUtf8(text));
    CHECK(ToUtf8(text) == text);
  }
  for (const char* text : {"\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                           "\xfe", "\xff", "eight ok then \xc3( and on"}) {
    CHECK_FALSE(IsUtf8(text));
    CHECK(IsUtf8(ToUtf8(text)));
  }
}

TEST_CASE("each byte that is no UTF-8 gives one replacement") {
  CHECK(ToUtf8("a\xe2\x82z\xff") == "a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd");
  CHECK(ToUtf8("\xc3\xa9\xc3") == "\xc3\xa9\xef\xbf\xbd");
}

TEST_CASE("lines are made printable one by one") {
  CHECK(MakeLinesPrintable("a\x1b[1m\n\nb\r\n") == "a?[1m\n\nb?\n");
  CHECK(MakeLinesPrintable("").empty());
  CHECK(MakeLinesPrintable("a\tb") == "a\tb");
}

TEST_CASE("a long text loses its middle, but no part of a character") {
  CHECK(ClipMiddle("abcdefgh", 8) == "abcdefgh");
  CHECK(ClipMiddle("abcdefghi", 8) == "ab...hi");
  CHECK(ClipMiddle("a\u00fcbcdef\u00fc", 7) == "a...\u00fc");
}

}  // namespace
}  // namespace shapewise
