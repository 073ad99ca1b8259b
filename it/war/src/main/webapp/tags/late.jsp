<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<% out.write("first"); out.flush(); response.flushBuffer(); %><esi:control ttl="30s"/>shown