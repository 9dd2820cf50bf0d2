#include "rules/identity.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("addresses, object ids, lines and folders are dropped from texts", "[rules]") {
  CHECK(StableText("<f at 0x7f12ab>") == "<f at 0x>");
  CHECK(StableText("___check_obj_id(x, 139904215237456)") == "___check_obj_id(x, )");
  CHECK(StableText("File \"/home/a/t.py\", line 7") == "File \"t.py\", line ");
  CHECK(StableText("skip function g in file /usr/lib/python3.11/torch/_dynamo/decorators.py") ==
        "skip function g in file decorators.py");
  CHECK(StableText("C:\\work\\t.py") == "t.py");
  CHECK(StableText("<eval_with_key>.12") == "<eval_with_key>.");
}

TEST_CASE("numbers that belong to a name or a value stay", "[rules]") {
  for (const char* text : {"layer_2", "aten.add.Tensor", "fn.__defaults__[0]", "x[12345678]",
                           "Call to `torch._dynamo.graph_break()`", ""}) {
    CHECK(StableText(text) == text);
  }
}

TEST_CASE("a file is identified by its base name; notebook cells are recognized", "[rules]") {
  CHECK(StableFile("/home/a/model.py") == "model.py");
  CHECK(StableFile("C:\\b\\model.py") == "model.py");
  CHECK(StableFile("model.py") == "model.py");
  CHECK(StableFile("/tmp/ipykernel_71/2938475610.py") == "<notebook>");
  CHECK(StableFile("<ipython-input-3-1f2e3d>") == "<notebook>");
  CHECK(StableFile("/tmp/ipython-input-1-77.py") == "<notebook>");
  CHECK(StableFile("").empty());
}

}  // namespace
}  // namespace shapewise
