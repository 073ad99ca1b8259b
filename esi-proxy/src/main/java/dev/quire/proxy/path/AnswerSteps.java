package dev.quire.proxy.path;

import dev.quire.proxy.exchange.Time;

/** The shared steps that find and deliver the responses to client requests. */
public record AnswerSteps(
        RequestPath path,
        Pages pages,
        Codings codings,
        FragmentTransforms reshaping,
        UnsafeMethodInvalidation invalidation,
        Time time) {}
