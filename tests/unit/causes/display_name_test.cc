// Functions are shown as their author knows them.

#include "causes/display_name.h"

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

constexpr std::string_view kInnerFile =
    "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/external_utils.py";
constexpr std::string_view kHuggingFaceFile =
    "/opt/venv/lib/python3.11/site-packages/transformers/utils/generic.py";

TEST_CASE("installed packages, Python and torch are library code, user code is not", "[causes]") {
  CHECK(IsLibraryFile(kInnerFile));
  CHECK(IsLibraryFile("/usr/lib/python3.11/contextlib.py"));
  CHECK(IsLibraryFile("/usr/lib/python3/dist-packages/timm/models/vit.py"));
  CHECK(IsLibraryFile("nn/functional.py"));
  CHECK(IsLibraryFile("transformers/cache_utils.py"));
  CHECK(IsLibraryFile("C:\\venv\\Lib\\site-packages\\torch\\nn\\modules\\conv.py"));
  CHECK(IsLibraryFile("/home/me/src/pytorch/torch/nn/functional.py"));
  CHECK(IsLibraryFile("torch/nn/modules/module.py"));
  CHECK(IsLibraryFile("nn/modules/module.py"));
  CHECK(IsLibraryFile("optim/adam.py"));
  CHECK(IsLibraryFile(".../site-packages/lightning/loop.py"));
  CHECK_FALSE(IsLibraryFile("/home/me/torch/train.py"));
  CHECK_FALSE(IsLibraryFile("mp/app/train.py"));
  CHECK_FALSE(IsLibraryFile(""));
  const auto owner = [](std::string_view file) {
    const CodeOwner found = OwnerOf(file);
    return std::string(found.library) + "|" + std::string(found.version);
  };
  CHECK(owner("/opt/venv/lib/python3.11/site-packages/einops/layers/torch.py") == "einops|");
  CHECK(owner("C:\\venv\\Lib\\site-packages\\torch\\nn\\modules\\conv.py") == "torch|");
  CHECK(owner("/usr/lib/python3.11/json/decoder.py") == "python|3.11");
  CHECK(owner("/x/site-packages/six-1.16.0-py3.9.egg/six.py") == "six|1.16.0");
  CHECK(owner("/x/site-packages/six.py") == "six|");
  CHECK(owner("nn/functional.py") == "torch|");
  CHECK(owner("transformers/cache_utils.py") == "transformers|");
  CHECK(owner("/home/me/torch/train.py") == "|");
}

TEST_CASE("files in folders of the user's with the names of PyTorch's are the user's", "[causes]") {
  for (const std::string_view file :
       {"nn/model.py", "optim/schedule.py", "nn/modules/my_block.py", "/srv/app/nn/model.py",
        "/srv/lib/python/model.py", "/srv/mylib/python3/model.py", "/srv/old-site-packages/x.py",
        "/srv/my_torch_xla/train.py", "/srv/mytorch/nn/model.py", "srv/optim/adam.py"}) {
    CAPTURE(file);
    CHECK_FALSE(IsLibraryFile(file));
  }
}

TEST_CASE("a resume function is shown as what follows a break", "[causes]") {
  const auto shown = [](std::string_view function) {
    return DisplayFunction({std::string(function), "/app/train.py", 11}, {});
  };
  CHECK(shown("torch_dynamo_resume_in_forward_at_11") == "forward (after the break at line 11)");
  CHECK(shown("torch_dynamo_resume_in_step_2_at_7_4") == "step_2 (after the break at line 7)");
  CHECK(shown("torch_dynamo_resume_in___init___at_105") ==
        "__init__ (after the break at line 105)");
  CHECK(shown("<graph break in forward>") == "forward (after a break)");
  CHECK(shown("torch_dynamo_resume_in_forward") == "forward (after a break)");
  CHECK(shown("forward_at_11") == "forward_at_11");
}

TEST_CASE("a wrapper is named after the user's function that a reason shows", "[causes]") {
  RunBuilder run;
  Failed failed = FailedInt("0/0", "fn.width", "3");
  failed.user_file = "mp/app/net.py";
  failed.user_line = 21;
  failed.user_function = "forward";
  run.Recompile({.id = "0/1", .function = "inner", .file = kInnerFile, .line = 67}, {failed});
  const Cause cause = run.FoldToOne();
  CHECK(cause.where.function == "inner");
  CHECK(cause.display_function == "forward");
  CHECK(cause.user == Place{"forward", "mp/app/net.py", 21});
}

TEST_CASE("a wrapper is named after the user's function in which its frame broke", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "3/1", .function = "wrapper", .file = kHuggingFaceFile, .line = 937},
                {FailedSize("3/0", "kwargs['input_ids']", 1, "5", "6")});
  const Compiled frame = {.id = "3/0", .function = "", .file = "", .line = 0};
  run.Other(GraphBreakFact(), frame, {"generate", kHuggingFaceFile, 8});
  CHECK(run.Fold()[0].display_function == "wrapper");
  run.Other(GraphBreakFact(), {.id = "4/0", .function = "", .file = "", .line = 0},
            {"elsewhere", "/app/other.py", 8});
  CHECK(run.Fold()[0].display_function == "wrapper");
  run.Other(GraphBreakFact(), frame, {"forward", "/app/my_llama.py", 8});
  CHECK(run.Fold()[0].display_function == "forward");
}

TEST_CASE("a wrapper has its own name if the user's function is unknown", "[causes]") {
  const Place inner = {"inner", std::string(kInnerFile), 67};
  CHECK(DisplayFunction(inner, {}) == "inner");
  CHECK(DisplayFunction(inner, {"conv", "nn/modules/conv.py", 3}) == "inner");
}

TEST_CASE("the user's own functions keep their names", "[causes]") {
  const Place user = {"helper", "/app/net.py", 3};
  CHECK(DisplayFunction({"wrapper", "/app/decorators.py", 2}, user) == "wrapper");
  CHECK(DisplayFunction({"<lambda>", "/app/net.py", 2}, user) == "<lambda>");
}

TEST_CASE("the user's place is the one named most often, and whole where the file is known",
          "[causes]") {
  const auto at = [](std::string_view entry, std::string_view file, uint32_t line) {
    Failed failed = FailedInt(entry, "n", "3");
    failed.user_file = file;
    failed.user_line = line;
    failed.user_function = "forward";
    return failed;
  };
  RunBuilder run;
  run.Recompile({.id = "0/1", .file = "/tmp/app/net.py"}, {at("0/0", "nn/functional.py", 900)});
  CHECK(run.FoldToOne().user.file == "nn/functional.py");
  run.Recompile({.id = "0/2", .file = "/tmp/app/net.py"}, {at("0/1", "mp/app/net.py", 12)});
  run.Recompile({.id = "0/3", .file = "/tmp/app/net.py"}, {at("0/2", "mp/app/net.py", 14)});
  run.Recompile({.id = "0/4", .file = "/tmp/app/net.py"}, {at("0/3", "mp/app/net.py", 14)});
  CHECK(run.FoldToOne().user == Place{"forward", "/tmp/app/net.py", 14});
}

}  // namespace
}  // namespace shapewise
