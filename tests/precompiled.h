// Headers that most tests include besides cmake/precompiled.h.
#pragma once

#include <gtest/gtest.h>

#include "cmake/precompiled.h"
