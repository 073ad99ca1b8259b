package dev.quire.core.http;

/**
 * The head of a response.
 *
 * @param status three digits, 200 and up: interim responses are not included
 * @param reason the reason phrase, possibly empty
 * @param fields all field lines
 */
public record ResponseHead(int status, String reason, Fields fields) {}
