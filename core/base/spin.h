// Waiting without sleep for what comes soon: to wake a thread takes 50 us and more.
#pragma once

#include <chrono>
#include <thread>

namespace tl {

/// Returns once `condition` holds or `limit` has passed. Lets other threads run in between.
template <class Condition>
void spin_until(const Condition& condition, std::chrono::microseconds limit) {
    auto end = std::chrono::steady_clock::now() + limit;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace tl
