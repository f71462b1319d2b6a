// Edits wait while the session's gate is closed, and work runs in a thread of its own.
#include <gtest/gtest.h>

#include <string>

#include "app/viewer/session_gate.h"
#include "core/base/error.h"
#include "core/base/work_thread.h"

namespace tl::session_gate_tests {
namespace {

TEST(WorkThread, HandsOverWhatItsWorkThrows) {
    WorkThread thread;
    thread.start([] { throw UserError("no"); });
    EXPECT_TRUE(thread.busy());
    EXPECT_THROW(thread.finish(), UserError);
    EXPECT_FALSE(thread.busy());
    int value = 0;
    thread.start([&] { value = 1; });
    thread.finish();
    EXPECT_EQ(value, 1);
}

TEST(SessionGate, EditsWaitInOrderWhileItIsClosed) {
    SessionGate gate;
    std::string done;
    gate.edit([&] { done += "a"; });
    EXPECT_EQ(done, "a");
    gate.close();
    gate.edit([&] { done += "b"; });
    gate.edit({.apply = [&] { done += "c"; }, .name = "same"});
    gate.edit({.apply = [&] { done += "d"; }, .name = "same"});
    gate.edit([&] { gate.edit([&] { done += "e"; }); });
    EXPECT_EQ(done, "a");
    EXPECT_EQ(gate.asked(), Cancellation::everything);
    gate.reopen();
    EXPECT_EQ(done, "abde");
    EXPECT_EQ(gate.asked(), Cancellation::nothing);
    EXPECT_TRUE(gate.take_edited());
    EXPECT_FALSE(gate.take_edited());
}

TEST(SessionGate, APreparationRunsApartAndBeforeItsEdit) {
    SessionGate gate;
    gate.prepares_apart = true;
    std::string done;
    gate.edit({.apply = [&] { done += "b"; }, .prepare = [&] { done += "a"; }, .title = "wait"});
    gate.edit([&] { done += "c"; });
    ASSERT_TRUE(gate.has_preparation());
    auto edit = gate.take_preparation();
    gate.close();
    EXPECT_EQ(gate.title(), "wait");
    edit.prepare();
    gate.reopen_after(edit);
    EXPECT_EQ(done, "abc");
    EXPECT_EQ(gate.title(), "");
}

TEST(SessionGate, WhatIsTakenBackDoesNotRunAndTheRestKeepsItsOrder) {
    SessionGate gate;
    gate.prepares_apart = true;
    std::string done;
    auto letter = [&](const char* name) {
        return SessionGate::Edit{
            .apply = [&done, name] { done += name; }, .prepare = [] {}, .name = name};
    };
    gate.close();
    gate.edit([&] {
        done += "a";
        gate.edit(letter("x"));
        gate.edit(letter("b"));
        gate.take_back("x");
        gate.edit(letter("c"));
    });
    gate.edit(letter("y"));
    gate.edit(letter("d"));
    gate.take_back("y");
    gate.take_back("none");
    gate.reopen();
    while (gate.has_preparation()) {
        auto edit = gate.take_preparation();
        gate.close();
        gate.reopen_after(edit);
    }
    EXPECT_EQ(done, "abcd");
    EXPECT_FALSE(gate.busy());
}

TEST(SessionGate, APreparationThatIsCancelledComesToNothing) {
    SessionGate gate;
    gate.prepares_apart = true;
    std::string done;
    auto edit = [&](SessionGate::Edit what) {
        gate.edit(std::move(what));
        auto taken = gate.take_preparation();
        gate.close();
        taken.prepare();
        if (gate.can_cancel()) gate.cancel();
        gate.reopen_after(taken);
    };
    edit({.apply = [&] { done += "a"; },
          .prepare = [] {},
          .title = "wait",
          .cancelled = [&] { done += "c"; }});
    EXPECT_EQ(done, "c");
    edit({.apply = [&] { done += "a"; }, .prepare = [] {}});
    EXPECT_EQ(done, "ca") << "this one cannot be cancelled, and the last wish is forgotten";
}

TEST(SessionGate, WhatFollowsAnEditComesBeforeAllThatWaits) {
    SessionGate gate;
    std::string done;
    SessionGate::Edit second{.apply = [&] { done += "c"; }, .prepare = [&] { done += "b"; }};
    auto first = [&] {
        done += "a";
        gate.follow(second);
    };
    gate.edit(first);
    EXPECT_EQ(done, "abc") << "at once where nothing runs apart";
    gate.prepares_apart = true;
    gate.close();
    gate.edit(first);
    gate.edit([&] { done += "d"; });
    gate.reopen();
    EXPECT_EQ(done, "abca");
    ASSERT_TRUE(gate.has_preparation());
    auto edit = gate.take_preparation();
    gate.close();
    edit.prepare();
    gate.reopen_after(edit);
    EXPECT_EQ(done, "abcabcd");
}

TEST(SessionGate, LongEditsOfARunningEditComeNextInTheirOrder) {
    SessionGate gate;
    std::string done;
    auto append = [&](const char* text) { return [&done, text] { done += text; }; };
    auto save_and_open = [&] {
        done += "a";
        gate.edit({.apply = append("d"), .prepare = append("c")});
        gate.edit({.apply = append("f"), .prepare = append("e")});
        gate.edit(append("b"));
    };
    gate.edit(save_and_open);
    EXPECT_EQ(std::exchange(done, ""), "acdefb") << "at once where nothing runs apart";
    gate.prepares_apart = true;
    gate.close();
    gate.edit(save_and_open);
    gate.edit(append("g"));
    gate.reopen();
    EXPECT_EQ(done, "ab");
    while (gate.has_preparation()) {
        auto edit = gate.take_preparation();
        gate.close();
        edit.prepare();
        gate.reopen_after(edit);
    }
    EXPECT_EQ(done, "abcdefg");
}

}  // namespace
}  // namespace tl::session_gate_tests
