package dev.quire.core.http;

/**
 * What a response says before its body.
 *
 * @param status three digits, 200 and up: interim responses are no part of it
 * @param reason the phrase behind the status, possibly empty
 * @param fields all field lines
 */
public record ResponseHead(int status, String reason, Fields fields) {}
