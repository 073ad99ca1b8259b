package dev.quire.proxy.path;

import dev.quire.proxy.exchange.Time;

/** What finds and delivers the answers to clients' own requests; one for all of them. */
public record AnswerSteps(
        RequestPath path,
        Pages pages,
        Codings codings,
        Reshaping reshaping,
        Invalidation invalidation,
        Time time) {}
