package dev.quire.core.rule;

/** A rule of the delivery: changes the fields of the response to a client, each time. */
public record DeliverRule(String name, Condition condition, FieldEdits fields, boolean isLast) {}
