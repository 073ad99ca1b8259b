package dev.quire.proxy.path;

import dev.quire.proxy.exchange.Time;

/** The shared steps that find and deliver the responses to client requests. */
public record AnswerSteps(
        RequestPath path,
        Pages pages,
        Codings codings,
        Reshaping reshaping,
        Invalidation invalidation,
        Time time) {}
