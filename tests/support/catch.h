// One header for Catch2 2 (Debian 12) and 3.

#ifndef SHAPEWISE_TESTS_SUPPORT_CATCH_H_
#define SHAPEWISE_TESTS_SUPPORT_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#endif  // SHAPEWISE_TESTS_SUPPORT_CATCH_H_
