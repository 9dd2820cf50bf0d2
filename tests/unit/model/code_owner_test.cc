// Files as users know them.

#include "model/code_owner.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("the path of an installed file begins with its package") {
  CHECK(PathFromPackage("/venv/lib/python3.12/site-packages/dion/dion2.py") == "dion/dion2.py");
  CHECK(PathFromPackage(R"(C:\Python\Lib\site-packages\dion\dion2.py)") == R"(dion\dion2.py)");
  CHECK(PathFromPackage("/home/site-packages.py") == "/home/site-packages.py");
  CHECK(PathFromPackage("/app/train.py") == "/app/train.py");
}

}  // namespace
}  // namespace shapewise
